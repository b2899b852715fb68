//! Each way of breaking a row of the table of built-in variables, under both addressing models.

mod assembler;
mod declared;

use campanile_spirv::built_in::{AddressWidth, BUILT_INS};
use campanile_spirv::environment::{Code, Finding, Module, check};
use declared::{Component, Declared};
use rspirv::spirv::{BuiltIn, Capability, StorageClass};

/// The types of the OpenCL SPIR-V Environment Specification, written down once more: components, and the bits of each,
/// 0 for those of `size_t`.
const SPECIFIED: [(BuiltIn, u32, u32); 22] = [
    (BuiltIn::WorkDim, 1, 32),
    (BuiltIn::GlobalSize, 3, 0),
    (BuiltIn::GlobalInvocationId, 3, 0),
    (BuiltIn::WorkgroupSize, 3, 0),
    (BuiltIn::EnqueuedWorkgroupSize, 3, 0),
    (BuiltIn::LocalInvocationId, 3, 0),
    (BuiltIn::NumWorkgroups, 3, 0),
    (BuiltIn::WorkgroupId, 3, 0),
    (BuiltIn::GlobalOffset, 3, 0),
    (BuiltIn::GlobalLinearId, 1, 0),
    (BuiltIn::LocalInvocationIndex, 1, 0),
    (BuiltIn::SubgroupSize, 1, 32),
    (BuiltIn::SubgroupMaxSize, 1, 32),
    (BuiltIn::NumSubgroups, 1, 32),
    (BuiltIn::NumEnqueuedSubgroups, 1, 32),
    (BuiltIn::SubgroupId, 1, 32),
    (BuiltIn::SubgroupLocalInvocationId, 1, 32),
    (BuiltIn::SubgroupEqMask, 4, 32),
    (BuiltIn::SubgroupGeMask, 4, 32),
    (BuiltIn::SubgroupGtMask, 4, 32),
    (BuiltIn::SubgroupLeMask, 4, 32),
    (BuiltIn::SubgroupLtMask, 4, 32),
];

/// Calls a test for a right module of each row, under both addressing models.
fn for_each_row(mut test: impl FnMut(&Declared, u32)) {
    for addresses in AddressWidth::ALL {
        for (built_in, components, width) in SPECIFIED {
            let width = if width == 0 { addresses.bits() } else { width };
            test(&Declared::new(addresses, built_in, Component::Int(width), components), width);
        }
    }
}

/// The module as bytes of a little-endian file.
fn bytes(declared: &Declared) -> Vec<u8> {
    declared.words().into_iter().flat_map(u32::to_le_bytes).collect()
}

fn findings(declared: &Declared) -> Vec<Finding> {
    check(&Module::read(&bytes(declared)).expect("a module"))
}

/// Holds the codes that are found, in the order of their numbers, against the expected ones.
#[track_caller]
fn expect(declared: &Declared, expected: &[Code]) {
    let mut codes: Vec<Code> = findings(declared).iter().map(|finding| finding.code).collect();
    codes.sort();
    assert_eq!(codes, expected, "{declared:?}");
}

#[test]
fn the_table_has_the_rows_of_the_specification() {
    let mut own: Vec<u32> = BUILT_INS.iter().map(|row| row.built_in as u32).collect();
    let mut specified: Vec<u32> = SPECIFIED.iter().map(|(built_in, ..)| *built_in as u32).collect();
    own.sort();
    specified.sort();
    assert_eq!(own, specified);
}

#[test]
fn right_variables_are_accepted() {
    for_each_row(|declared, _| expect(declared, &[]));
}

#[test]
fn right_variables_are_accepted_by_others() {
    for_each_row(|declared, _| {
        let Some(output) = assembler::run("spirv-val", &["--target-env", "spv1.3", "-"], &bytes(declared))
        else {
            return;
        };
        assert!(output.status.success(), "{declared:?}: {}", String::from_utf8_lossy(&output.stderr));
    });
}

#[test]
fn every_other_width_is_found() {
    for_each_row(|declared, width| {
        for other in [8, 16, 32, 64].into_iter().filter(|other| *other != width) {
            let broken = Declared { component: Component::Int(other), ..declared.clone() };
            expect(&broken, &[Code::BuiltInWidth]);
        }
    });
}

#[test]
fn every_other_number_of_components_is_found() {
    for_each_row(|declared, _| {
        for components in [1, 2, 3, 4, 8, 16].into_iter().filter(|other| *other != declared.components) {
            let broken = Declared { components, ..declared.clone() };
            let scalar = components == 1 && declared.components == 3;
            expect(&broken, &[if scalar { Code::BuiltInScalar } else { Code::BuiltInComponents }]);
        }
    });
}

#[test]
fn signedness_is_found() {
    for_each_row(|declared, width| {
        let broken = Declared { component: Component::Signed(width), ..declared.clone() };
        expect(&broken, &[Code::BuiltInSignedness]);
    });
}

#[test]
fn other_kinds_are_found() {
    for_each_row(|declared, _| {
        for component in [Component::Float(32), Component::Float(64), Component::Bool] {
            expect(&Declared { component, ..declared.clone() }, &[Code::BuiltInKind]);
        }
    });
}

#[test]
fn other_storage_classes_are_found() {
    use StorageClass as S;
    for_each_row(|declared, _| {
        for storage in [S::CrossWorkgroup, S::Workgroup, S::UniformConstant] {
            expect(&Declared { storage, ..declared.clone() }, &[Code::BuiltInStorageClass]);
        }
        for storage in [S::Private, S::Uniform, S::Output] {
            let codes = [Code::VariableStorageClass, Code::BuiltInStorageClass];
            expect(&Declared { storage, ..declared.clone() }, &codes);
        }
    });
}

#[test]
fn what_older_translators_wrote_is_a_warning() {
    for_each_row(|declared, _| {
        let imported = Declared { imported: true, ..declared.clone() };
        expect(&imported, &[]);
        let older = Declared { storage: StorageClass::UniformConstant, ..imported.clone() };
        expect(&older, &[Code::BuiltInImported]);
        // Interfaces list such variables since SPIR-V 1.4 only.
        let unlisted = Declared { listed: false, ..older };
        expect(&unlisted, &[Code::BuiltInImported]);
        let newer = Declared { version: (1, 4), ..unlisted };
        expect(&newer, &[Code::BuiltInInterface, Code::BuiltInImported]);
        let other = Declared { storage: StorageClass::CrossWorkgroup, ..imported };
        expect(&other, &[Code::BuiltInStorageClass]);
    });
}

#[test]
fn missing_interfaces_are_found() {
    for_each_row(|declared, _| {
        expect(&Declared { listed: false, ..declared.clone() }, &[Code::BuiltInInterface]);
    });
}

#[test]
fn two_faults_are_two_findings() {
    for_each_row(|declared, width| {
        let component = Component::Signed(96 - width);
        let broken = Declared { component, listed: false, ..declared.clone() };
        expect(&broken, &[Code::BuiltInWidth, Code::BuiltInSignedness, Code::BuiltInInterface]);
    });
}

/// The capabilities of which each built-in needs one (SPIR-V Specification, BuiltIn).
fn needed(built_in: BuiltIn) -> &'static [Capability] {
    use Capability as C;
    match built_in {
        BuiltIn::NumWorkgroups
        | BuiltIn::WorkgroupSize
        | BuiltIn::WorkgroupId
        | BuiltIn::LocalInvocationId
        | BuiltIn::GlobalInvocationId
        | BuiltIn::LocalInvocationIndex => &[],
        BuiltIn::SubgroupSize | BuiltIn::SubgroupLocalInvocationId => {
            &[C::Kernel, C::GroupNonUniform, C::SubgroupBallotKHR]
        }
        BuiltIn::NumSubgroups | BuiltIn::SubgroupId => &[C::Kernel, C::GroupNonUniform],
        BuiltIn::SubgroupEqMask
        | BuiltIn::SubgroupGeMask
        | BuiltIn::SubgroupGtMask
        | BuiltIn::SubgroupLeMask
        | BuiltIn::SubgroupLtMask => &[C::GroupNonUniformBallot, C::SubgroupBallotKHR],
        _ => &[C::Kernel],
    }
}

#[test]
fn missing_capabilities_are_found() {
    use Capability as C;
    let kernel = [Code::RequiredCapability; 2];
    for_each_row(|declared, _| {
        for one in [C::Kernel, C::GroupNonUniform, C::GroupNonUniformBallot, C::SubgroupBallotKHR, C::Pipes] {
            let extension = (one == C::SubgroupBallotKHR).then_some("SPV_KHR_shader_ballot");
            let capabilities = vec![C::Addresses, C::Int64, C::Int16, C::Int8, one];
            let module = Declared { capabilities, extension, ..declared.clone() };
            // Pipes implies Kernel, GroupNonUniformBallot implies GroupNonUniform.
            let also = match one {
                C::Pipes => C::Kernel,
                C::GroupNonUniformBallot => C::GroupNonUniform,
                other => other,
            };
            let needed = needed(declared.built_in);
            let provided = needed.is_empty() || needed.contains(&one) || needed.contains(&also);
            let mut codes = if also == C::Kernel { Vec::new() } else { kernel.to_vec() };
            codes.extend((!provided).then_some(Code::BuiltInCapability));
            expect(&module, &codes);
        }
    });
}

#[test]
fn capabilities_need_their_extension_or_version() {
    use Capability as C;
    for_each_row(|declared, _| {
        let masks = needed(declared.built_in) == [C::GroupNonUniformBallot, C::SubgroupBallotKHR];
        let out_of_reach = if masks { vec![Code::CapabilityOutOfReach] } else { Vec::new() };
        expect(&Declared { version: (1, 2), ..declared.clone() }, &out_of_reach);
        let capabilities =
            vec![C::Addresses, C::Kernel, C::Int64, C::Int16, C::Int8, C::Linkage, C::SubgroupBallotKHR];
        let ballot = Declared { capabilities, version: (1, 0), ..declared.clone() };
        expect(&ballot, &out_of_reach);
        expect(&Declared { extension: Some("SPV_KHR_shader_ballot"), ..ballot }, &[]);
    });
}

#[test]
fn an_index_that_spirv_val_accepts_is_found_with_the_reason() {
    let declared = Declared::new(AddressWidth::Bits64, BuiltIn::GlobalInvocationId, Component::Int(32), 3);
    let findings = findings(&declared);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(finding.code, Code::BuiltInWidth);
    assert!(finding.message.contains("`the_variable` (`%"), "{}", finding.message);
    assert!(
        finding.message.ends_with("the environment has 64-bit ones under Physical64"),
        "{}",
        finding.message
    );
    let help = finding.help.as_deref().unwrap_or_default();
    assert!(help.contains("`OpUConvert`") && help.contains("Intel"), "{help}");
    let Some(output) = assembler::run("spirv-val", &["--target-env", "spv1.3", "-"], &bytes(&declared))
    else {
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
