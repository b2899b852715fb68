use super::function::FunctionLowering;
use campanile_core::isa::Op;
impl FunctionLowering<'_> {
    pub(super) fn exact_double(&mut self, op: Op, sources: &[String]) -> String {
        let _ = sources;
        let _ = op;
        sources[0].clone()
    }
}
