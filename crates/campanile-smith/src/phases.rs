//! The course of a kernel: phases between barriers, which all work-items pass together.

use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::region::Phase;

impl Body<'_, '_> {
    /// Writes the statements of the kernel. Work-items exchange values if they have memory for that, and take turns if they
    /// have a place where those are counted that have had theirs.
    pub fn phases(&mut self, exchanging: bool, served: Option<&str>) {
        let turns = served.filter(|_| self.choices.chance(30));
        if turns.is_some() {
            let before = self.registers.reserve("%before", RegisterType::scalar(32));
            self.line(format!("mov.32b {before}, 0;"));
        }
        for _ in 0..self.choices.between(1, 4) {
            let rounds = if self.choices.chance(25) { self.choices.between(1, 3) } else { 0 };
            let again = (rounds > 0).then(|| self.open_uniform_loop(rounds));
            let count = self.choices.between(3, 16);
            self.statements(count);
            if let Some(served) = turns.filter(|_| self.choices.chance(50)) {
                self.turn(served);
            }
            if exchanging && self.choices.chance(70) {
                self.barrier();
                self.phase = Phase::Peers;
                let count = self.choices.between(1, 8);
                self.statements(count);
                self.phase = Phase::Own;
                self.barrier();
            } else if self.choices.chance(20) {
                self.barrier();
            }
            if let Some((head, left)) = again {
                self.close_uniform_loop(&head, &left, rounds);
            }
        }
    }

    /// Statements of one sub-group after another: each waits until all work-items of those before it have had their turn.
    fn turn(&mut self, served: &str) {
        let wait = self.label("wait");
        let [turn, sink] =
            ["%turn", "%sink32"].map(|name| self.registers.reserve(name, RegisterType::scalar(32)));
        let (now, other) = (self.scratch(32), self.scratch_predicate());
        self.line(format!("and.32b {turn}, %linear, 0xFFFFFFE0;"));
        self.line(format!("iadd.32b {turn}, {turn}, %before;"));
        self.place(&wait);
        self.line(format!("ld.shared.acquire.workgroup.32b {now}, [{served}];"));
        self.line(format!("ucmp.ne.32b {other}, {now}, {turn};"));
        self.line(format!("goto.cond {other}, {wait};"));
        let count = self.choices.between(0, 4);
        self.statements(count);
        self.line(format!("iatom.shared.acq_rel.workgroup.inc.32b {sink}, [{served}];"));
        self.line("iadd.32b %before, %before, %peers;");
    }

    /// Begins a loop whose rounds are the same for all work-items.
    fn open_uniform_loop(&mut self, rounds: u32) -> (String, String) {
        let (head, left) = (self.label("phases"), self.registers.fresh(RegisterType::scalar(32)));
        self.line(format!("mov.32b {left}, {rounds};"));
        self.place(&head);
        self.rounds *= u64::from(rounds);
        (head, left)
    }

    fn close_uniform_loop(&mut self, head: &str, left: &str, rounds: u32) {
        let more = self.scratch_predicate();
        self.line(format!("isub.32b {left}, {left}, 1;"));
        self.line(format!("ucmp.gt.32b {more}, {left}, 0;"));
        self.line(format!("goto.cond {more}, {head};"));
        self.rounds /= u64::from(rounds);
    }

    /// A barrier, by itself or in a function, often between fences.
    pub fn barrier(&mut self) {
        if let Some(function) = &self.plan.barrier
            && self.choices.chance(40)
        {
            return self.line(format!("call void, {function}();"));
        }
        let fences = ["fence.workgroup;", "fence.generic.acq_rel.workgroup;", "fence.seq_cst.workgroup;"];
        let fenced = self.plan.options.fences || self.choices.chance(50);
        let fence = fenced.then(|| *self.choices.one_of(&fences));
        if let Some(fence) = fence {
            self.line(fence);
        }
        self.line("barrier.workgroup;");
        if let Some(fence) = fence {
            self.line(fence);
        }
    }
}
