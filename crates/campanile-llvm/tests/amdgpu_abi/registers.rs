//! Functions that destroy every register they can: what they save before is what callees save.

use std::collections::BTreeSet;

use campanile_amdgpu::{LlvmVersion, Processor, RegisterFile, STACK_POINTER, Target};

use crate::library::{compiled, llvm};

/// Compares what is saved on every processor that a version knows.
pub fn compare(version: LlvmVersion) {
    let Some(llvm) = llvm(version) else { return };
    for processor in Processor::ALL {
        let Ok(target) = Target::new(processor, version) else { continue };
        let files = RegisterFile::ALL.into_iter().filter(|file| target.registers(*file) > 0);
        for file in files {
            let assembly = compiled(llvm, &target, None, &destroyer(&target, file));
            let prologue = assembly.split("ASMSTART").next().unwrap();
            let found: BTreeSet<u32> = prologue.lines().filter_map(|line| saved(line, file)).collect();
            let registers = destroyed(&target, file);
            let expected: BTreeSet<u32> =
                registers.filter(|register| target.is_callee_saved(file, *register)).collect();
            assert_eq!(found, expected, "{target} {file:?}:\n{prologue}");
        }
    }
    println!("registers are saved as LLVM {} saves them", version.major());
}

/// All registers of a file but the stack pointer, which no code may destroy.
fn destroyed(target: &Target, file: RegisterFile) -> impl Iterator<Item = u32> {
    let kept = (file == RegisterFile::Scalar).then_some(STACK_POINTER.first);
    (0..target.registers(file)).filter(move |register| Some(*register) != kept)
}

fn destroyer(target: &Target, file: RegisterFile) -> String {
    let registers = destroyed(target, file).map(|register| format!("~{{{}{register}}}", file.letter()));
    let registers = registers.collect::<Vec<_>>().join(",");
    format!(
        "define void @destroyer() {{\n  call void asm sideeffect \"\", \"{registers}\"()\n  ret void\n}}\n"
    )
}

/// The register that an instruction saves: it is stored, copied to an accumulation register, or, if it is a scalar one, put
/// in a lane of a vector register.
fn saved(line: &str, file: RegisterFile) -> Option<u32> {
    let (opcode, operands) = line.trim().split_once(' ')?;
    let saves = match file {
        RegisterFile::Vector => opcode.contains("_store_") || opcode.starts_with("v_accvgpr_write"),
        RegisterFile::Scalar => opcode.starts_with("v_writelane"),
        RegisterFile::Accumulation => opcode.contains("_store_") || opcode.starts_with("v_accvgpr_read"),
    };
    let mut operands = operands.split([',', ' ']);
    operands.find_map(|operand| operand.strip_prefix(file.letter())?.parse().ok()).filter(|_| saves)
}
