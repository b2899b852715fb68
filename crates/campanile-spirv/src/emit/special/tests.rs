//! What is written of built-in variables, against the environment's table as its specification prints it.

use rspirv::dr::{self, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};

use super::BuiltIns;
use crate::built_in::{AddressWidth, BUILT_INS, BuiltInVariable};
use crate::emit::assembly::Assembly;
use crate::{Options, emit};

/// The rows: built-in, components, and width under `Physical32` and under `Physical64`.
const ROWS: [(BuiltIn, u32, [u32; 2]); 22] = [
    (BuiltIn::WorkDim, 1, [32, 32]),
    (BuiltIn::GlobalSize, 3, [32, 64]),
    (BuiltIn::GlobalInvocationId, 3, [32, 64]),
    (BuiltIn::GlobalOffset, 3, [32, 64]),
    (BuiltIn::WorkgroupSize, 3, [32, 64]),
    (BuiltIn::EnqueuedWorkgroupSize, 3, [32, 64]),
    (BuiltIn::LocalInvocationId, 3, [32, 64]),
    (BuiltIn::NumWorkgroups, 3, [32, 64]),
    (BuiltIn::WorkgroupId, 3, [32, 64]),
    (BuiltIn::GlobalLinearId, 1, [32, 64]),
    (BuiltIn::LocalInvocationIndex, 1, [32, 64]),
    (BuiltIn::SubgroupSize, 1, [32, 32]),
    (BuiltIn::SubgroupMaxSize, 1, [32, 32]),
    (BuiltIn::NumSubgroups, 1, [32, 32]),
    (BuiltIn::NumEnqueuedSubgroups, 1, [32, 32]),
    (BuiltIn::SubgroupId, 1, [32, 32]),
    (BuiltIn::SubgroupLocalInvocationId, 1, [32, 32]),
    (BuiltIn::SubgroupEqMask, 4, [32, 32]),
    (BuiltIn::SubgroupGeMask, 4, [32, 32]),
    (BuiltIn::SubgroupGtMask, 4, [32, 32]),
    (BuiltIn::SubgroupLeMask, 4, [32, 32]),
    (BuiltIn::SubgroupLtMask, 4, [32, 32]),
];

/// The variables with a built-in decoration: which it is, storage class, components, width and signedness.
fn variables(module: &dr::Module) -> Vec<(Word, BuiltIn, StorageClass, u32, u32, u32)> {
    let definition = |id: Word| {
        module.types_global_values.iter().find(|one| one.result_id == Some(id)).expect("a definition")
    };
    let reference = |operand: &Operand| operand.unwrap_id_ref();
    let built_ins = module.annotations.iter().filter_map(|annotation| match annotation.operands[..] {
        [Operand::IdRef(target), Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(built_in)] => {
            Some((target, built_in))
        }
        _ => None,
    });
    let described = built_ins.map(|(target, built_in)| {
        let variable = definition(target);
        assert_eq!(variable.class.opcode, Op::Variable);
        let pointer = definition(variable.result_type.expect("a type"));
        let class = pointer.operands[0].unwrap_storage_class();
        assert_eq!(variable.operands[0].unwrap_storage_class(), class);
        let pointee = definition(reference(&pointer.operands[1]));
        let (components, element) = match pointee.class.opcode {
            Op::TypeVector => {
                (pointee.operands[1].unwrap_literal_bit32(), definition(reference(&pointee.operands[0])))
            }
            _ => (1, pointee),
        };
        assert_eq!(element.class.opcode, Op::TypeInt);
        let [width, sign] = [0, 1].map(|index| element.operands[index].unwrap_literal_bit32());
        (target, built_in, class, components, width, sign)
    });
    described.collect()
}

#[test]
fn each_row_has_its_type_under_both_addressing_models() {
    assert_eq!(BUILT_INS.len(), ROWS.len());
    for (index, addresses) in AddressWidth::ALL.into_iter().enumerate() {
        for (built_in, components, widths) in ROWS {
            let row = BuiltInVariable::of(built_in).expect("a row of the table");
            let mut assembly = Assembly::new(addresses);
            let mut built_ins = BuiltIns::default();
            let variable = built_ins.variable(&mut assembly, row);
            assert_eq!(built_ins.interface(), [variable]);
            let module = dr::load_words(assembly.finish()).expect("a module");
            let expected = (variable, built_in, StorageClass::Input, components, widths[index], 0);
            assert_eq!(variables(&module), [expected], "{built_in:?} with {addresses:?}");
        }
    }
}

/// The special registers of PISA with their dimensions, and the built-in that each is read from.
const REGISTERS: [(&str, u32, BuiltIn); 10] = [
    ("enqueuedlocalsize.y", 32, BuiltIn::EnqueuedWorkgroupSize),
    ("globaloffset.z", 64, BuiltIn::GlobalOffset),
    ("globalsize.x", 64, BuiltIn::GlobalSize),
    ("groupcount.y", 32, BuiltIn::NumWorkgroups),
    ("groupid.z", 32, BuiltIn::WorkgroupId),
    ("laneid", 32, BuiltIn::SubgroupLocalInvocationId),
    ("localid.x", 32, BuiltIn::LocalInvocationId),
    ("localsize.y", 32, BuiltIn::WorkgroupSize),
    ("workdim", 32, BuiltIn::WorkDim),
    ("localid.z", 32, BuiltIn::LocalInvocationId),
];

#[test]
fn special_registers_are_read_from_built_ins_of_the_interface() {
    for (index, addresses) in AddressWidth::ALL.into_iter().enumerate() {
        for (register, bits, built_in) in REGISTERS {
            let text = format!(
                ".version 0.1;\n.target 100;\n.kernel @k(.param[8] .addrspace(global) %out) {{\n  .reg .{bits}b %v;\n  .reg .64b %p;\n  \
                 ld.param.64b %p, [%out];\n  mov.{bits}b %v, %{register};\n  st.global.{bits}b [%p], %v;\n}}\n"
            );
            let source = campanile_core::source::SourceFile::new("k", text).expect("a short text").into();
            let mut sink = campanile_core::diagnostic::Sink::new();
            let module = campanile_core::load(&source, &mut sink).expect("a module");
            let emitted = emit(&module, &Options { addresses, ..Options::default() }).expect("a translation");
            let module = dr::load_words(emitted.words).expect("a module");
            let found = variables(&module);
            let [(variable, found, class, components, width, sign)] = found[..] else {
                panic!("one built-in for %{register}, not {found:?}")
            };
            let (_, wanted, widths) = ROWS.into_iter().find(|row| row.0 == built_in).expect("a row");
            assert_eq!(
                (found, class, components, width, sign),
                (built_in, StorageClass::Input, wanted, widths[index], 0)
            );
            let entry = &module.entry_points[0].operands[3..];
            assert!(entry.contains(&Operand::IdRef(variable)), "%{register} is not in the interface");
        }
    }
}
