//! Kernels by which a host reaches variables of a module, as OpenCL has no calls for that.

use campanile_core::module::VariableId;
use rspirv::dr::Operand;
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};

use super::assembly::{Assembly, Type, id};
use super::code::Code;
use super::function::Shared;
use super::value::Bits;

/// `__pisa_variables(destination)` stores the 64-bit addresses of all variables from an address on;
/// `__pisa_copy(to, from, bytes)` copies bytes, by one work-item. Addresses and numbers are 64-bit integers.
pub(super) fn write_kernels(assembly: &mut Assembly, shared: &Shared<'_>) -> Vec<VariableId> {
    let variables: Vec<VariableId> = shared.plan.variables.iter().copied().collect();
    let ids: Vec<Word> = variables.iter().map(|variable| shared.variables[variable]).collect();
    write_addresses(assembly, &ids);
    write_copy(assembly);
    variables
}

fn begin<'a>(assembly: &'a mut Assembly, name: &str, parameters: usize) -> (Code<'a>, Vec<Bits>) {
    let (void, long) = (assembly.ty(Type::Void), assembly.int(64));
    let function = assembly.id();
    assembly.name(function, name);
    assembly.entry_point(function, name, &[]);
    let (code, ids) = Code::new(assembly, function, void, &vec![long; parameters]);
    (code, ids.into_iter().map(|id| Bits { id, width: 64 }).collect())
}

fn pointer(code: &mut Code<'_>, address: Bits, width: u32) -> Word {
    let bits = code.assembly.pointer_bits();
    let address = code.resize(address, bits);
    let pointee = code.assembly.int(width);
    let ty = code.assembly.pointer(StorageClass::CrossWorkgroup, pointee);
    code.of(Op::ConvertUToPtr, ty, &[address.id])
}

fn aligned(bytes: u32) -> [Operand; 2] {
    [Operand::MemoryAccess(MemoryAccess::ALIGNED), Operand::LiteralBit32(bytes)]
}

fn write_addresses(assembly: &mut Assembly, variables: &[Word]) {
    let (mut code, parameters) = begin(assembly, "__pisa_variables", 1);
    for (index, variable) in variables.iter().enumerate() {
        let address = code.address_of(*variable);
        let offset = code.constant(64, 8 * index as u64);
        let place = code.add(parameters[0], offset);
        let place = pointer(&mut code, place, 64);
        let operands = [id(place), id(address.id)].into_iter().chain(aligned(8)).collect();
        code.effect(Op::Store, operands);
    }
    let next = code.new_label();
    code.end(None, next);
    code.finish();
}

fn write_copy(assembly: &mut Assembly) {
    let (mut code, parameters) = begin(assembly, "__pisa_copy", 3);
    let [to, from, bytes] = [parameters[0], parameters[1], parameters[2]];
    let any = code.is_not_zero(bytes);
    code.only_if(any, |code| {
        let start = code.constant(64, 0);
        code.repeat(&[start], |code, index| {
            let [from, to] = [from, to].map(|base| {
                let place = code.add(base, index[0]);
                pointer(code, place, 8)
            });
            let byte = code.assembly.int(8);
            let operands = std::iter::once(id(from)).chain(aligned(1)).collect();
            let value = code.value(Op::Load, byte, operands);
            let operands = [id(to), id(value)].into_iter().chain(aligned(1)).collect();
            code.effect(Op::Store, operands);
            let one = code.constant(64, 1);
            let next = code.add(index[0], one);
            let again = code.compare(Op::ULessThan, next, bytes);
            (vec![next], again)
        });
    });
    let next = code.new_label();
    code.end(None, next);
    code.finish();
}
