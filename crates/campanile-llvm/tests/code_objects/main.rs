//! Modules become code objects for AMD GPUs whose metadata says of arguments what the launch contract says.

#[path = "../../../campanile-core/tests/files/mod.rs"]
mod files;
#[path = "../found/mod.rs"]
mod found;
mod metadata;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use campanile_amdgpu::{CodeObject, LlvmVersion, ModuleAbi, Processor, Target};
use campanile_contract::{Policy, infer};
use campanile_core::diagnostic::Diagnostic;
use campanile_core::module::{Function, FunctionKind, Linkage, Module};
use campanile_llvm::{AmdgpuCompiler, AmdgpuError, Llvm};

/// Files that have what AMD GPUs do not: atomic accesses to 128 bits, but for the last one, in which a name looks like a version.
const REFUSED: [&str; 14] = [
    "atomic_load_generic.pisa",
    "atomic_load_shared.pisa",
    "atomic_load_widths.pisa",
    "atomic_store_generic.pisa",
    "atomic_store_shared.pisa",
    "atomic_store_widths.pisa",
    "atomics.pisa",
    "iatom_cas_128.pisa",
    "iatom_orders_and_operations.pisa",
    "iatom_xchg_128.pisa",
    "little_endian.pisa",
    "llvm_atomics.pisa",
    "weak_and_generic.pisa",
    "llvm_quoted_names.pisa",
];

/// A block of so many sums that LLVM takes half a minute for it, whatever the processor.
const LONG: &str = "insert_extract_parts.pisa";

fn compiler(llvm: &'static Llvm, name: &str) -> AmdgpuCompiler {
    let processor: &Processor = name.parse().expect("a processor");
    AmdgpuCompiler::new(llvm, processor, CodeObject::V5).expect("a compiler")
}

/// The explicit arguments that the metadata has, held against a kernel's parameters.
fn compare(path: &Path, function: &Function, code_object: &[u8]) {
    let FunctionKind::Kernel(kernel) = &function.kind else { return };
    let kernels = metadata::kernels(code_object);
    let found = kernels.iter().find(|one| one.name == function.name);
    let found = found.unwrap_or_else(|| panic!("{}: no kernel `{}`", path.display(), function.name));
    let at = format!("{}: {}", path.display(), function.name);
    let explicit = found.arguments.iter().filter(|argument| !argument.kind.starts_with("hidden"));
    let said: Vec<_> = explicit.map(|one| (one.name.as_str(), one.offset, one.size)).collect();
    let declared =
        kernel.parameters.iter().map(|one| (one.name.as_str(), one.offset.into(), one.size.into()));
    assert_eq!(said, declared.collect::<Vec<_>>(), "{at}");
    assert!(found.segment_size >= u64::from(kernel.argument_bytes()), "{at}: {found:?}");
    let greatest = kernel.parameters.iter().map(|one| u64::from(one.alignment)).max().unwrap_or(1);
    assert!(found.segment_alignment >= greatest, "{at}: {found:?}");
    let required = kernel.required_work_group_size.map(|sizes| sizes.map(u64::from).to_vec());
    assert_eq!(found.required_sizes, required.unwrap_or_default(), "{at}");
}

/// The arguments that the metadata has, held against the kernarg segments that are computed. LLVM may find that hidden
/// arguments are not read after all, so there may be fewer.
fn compare_segments(path: &Path, module: &Module, processor: &str, code_object: &[u8]) {
    let target = Target::new(processor.parse().unwrap(), LlvmVersion::Llvm22).unwrap();
    let abi = ModuleAbi::new(module, &target.with_code_object(CodeObject::V5).unwrap());
    for found in metadata::kernels(code_object) {
        let at = format!("{}: {}", path.display(), found.name);
        let kernel = abi.kernels.iter().find(|kernel| kernel.name == found.name).expect("a kernel");
        let (hidden, explicit): (Vec<_>, Vec<_>) =
            found.arguments.iter().partition(|argument| argument.kind.starts_with("hidden"));
        let kinds: Vec<&str> = explicit.iter().map(|argument| argument.kind.as_str()).collect();
        assert_eq!(
            kinds,
            kernel.args.iter().map(|argument| argument.kind.name()).collect::<Vec<_>>(),
            "{at}"
        );
        for argument in &hidden {
            let name = argument.kind.trim_start_matches("hidden_");
            let known = kernel.hidden.iter().find(|known| known.name == name);
            let place = known.map(|known| (u64::from(known.offset), u64::from(known.size)));
            assert_eq!(place, Some((argument.offset, argument.size)), "{at}: {name}");
        }
        assert!(hidden.is_empty() || found.segment_size == kernel.kernarg_size, "{at}: {found:?}");
    }
}

/// Every module with its code object, for a processor.
fn all_code_objects(llvm: &'static Llvm, name: &str) -> (usize, BTreeSet<String>) {
    let compiler = compiler(llvm, name);
    let open = Mutex::new(files::all_modules().collect::<Vec<_>>());
    let refused = Mutex::new(BTreeSet::new());
    let made = Mutex::new(0);
    let work = || {
        loop {
            let Some((path, module)) = open.lock().unwrap().pop() else { return };
            if path.ends_with(LONG) && name != "gfx1100" {
                continue;
            }
            match compiler.code_object(&module) {
                Ok(code_object) => {
                    *made.lock().unwrap() += 1;
                    module.functions.values().for_each(|function| compare(&path, function, &code_object));
                    compare_segments(&path, &module, name, &code_object);
                }
                Err(AmdgpuError::Module(faults)) => {
                    let known = |one: &Diagnostic| {
                        one.message.contains("128 bits") || one.message.contains("is a version to linkers")
                    };
                    assert!(faults.iter().all(known), "{}: {faults:?}", path.display());
                    let file = path.file_name().unwrap().to_string_lossy().into_owned();
                    refused.lock().unwrap().insert(file);
                }
                Err(error) => panic!("{} for {name}: {error}", path.display()),
            }
        }
    };
    thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    (made.into_inner().unwrap(), refused.into_inner().unwrap())
}

fn all_files_become_code_objects(name: &str) {
    let Some(llvm) = found::llvm() else { return };
    let (made, refused) = all_code_objects(llvm, name);
    assert!(made > 290, "only {made}");
    let refused: Vec<&str> = refused.iter().map(String::as_str).collect();
    let unexpected: Vec<_> = refused.iter().filter(|file| !REFUSED.contains(file)).collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
}

#[test]
fn all_files_become_code_objects_for_gfx90a() {
    all_files_become_code_objects("gfx90a");
}

#[test]
fn all_files_become_code_objects_for_gfx1030() {
    all_files_become_code_objects("gfx1030");
}

#[test]
fn all_files_become_code_objects_for_gfx1100() {
    all_files_become_code_objects("gfx1100");
}

#[test]
fn all_files_become_code_objects_for_gfx1201() {
    all_files_become_code_objects("gfx1201");
}

/// A small sequence of numbers that looks random.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A module whose kernels have parameters of all kinds.
fn kernels_with_parameters(noise: &mut Noise) -> String {
    let mut text = ".version 0.1;\n.target 100;\n".to_owned();
    for kernel in 0..20 {
        let parameters = (0..noise.below(9)).map(|index| match noise.below(4) {
            0 => format!(
                ".param[8] .align(8) .addrspace(global) .ptr_align({}) %p{index}",
                1 << noise.below(5)
            ),
            1 => format!(
                ".param[4] .align(4) .addrspace(shared) .ptr_align({}) %p{index}",
                1 << noise.below(5)
            ),
            2 => format!(".param[{}] %p{index}", 1 + noise.below(40)),
            _ => format!(".param[{}] .align({}) %p{index}", 1 + noise.below(40), 1 << noise.below(7)),
        });
        let parameters: Vec<String> = parameters.collect();
        text.push_str(&format!(".kernel @k{kernel} ({}) {{\n  return;\n}}\n", parameters.join(", ")));
    }
    text
}

#[test]
fn arguments_of_generated_kernels_lie_where_the_contract_has_them() {
    let Some(llvm) = found::llvm() else { return };
    let mut noise = Noise(7);
    for round in 0..8 {
        let text = kernels_with_parameters(&mut noise);
        let module = files::module("generated.pisa", &text);
        let name = ["gfx90a", "gfx1030", "gfx1100", "gfx1201"][round % 4];
        let code_object = compiler(llvm, name).code_object(&module).unwrap();
        let kernels = metadata::kernels(&code_object);
        for function in module.functions.values() {
            compare(Path::new("generated.pisa"), function, &code_object);
            let layout = infer(&module, &function.name, Policy::LANGUAGE).unwrap();
            let said = kernels.iter().find(|one| one.name == function.name).unwrap();
            let buffers = layout.buffers.iter().map(|one| (one.param, one.offset));
            let scalars = layout.scalars.iter().map(|one| (one.param, one.offset));
            let shared = layout.shared.iter().map(|one| (one.param, one.offset));
            let mut laid_out = 0;
            for (param, offset) in buffers.chain(scalars).chain(shared) {
                assert_eq!(said.arguments[param as usize].offset, u64::from(offset), "{}", function.name);
                laid_out += 1;
            }
            assert_eq!(laid_out, layout.parameters.len());
        }
    }
}

fn module(text: &str) -> Module {
    files::module("test.pisa", text)
}

const FUNCTIONS: &str = ".version 0.1;
.target 100;
.export .function .32b @twice (.reg .32b %x) {
  iadd.32b %x, %x, %x;
  return %x;
}
.function .32b @hidden (.reg .32b %x) {
  return %x;
}
.kernel @k (.param[8] .addrspace(global) %out, .param[8] .addrspace(global) %in) {
  .reg .64b %to, %from;
  .reg .32b %x;
  ld.param.64b %to, [%out];
  ld.param.64b %from, [%in];
  ld.global.32b %x, [%from];
  call %x, @twice(%x);
  call %x, @hidden(%x);
  st.global.32b [%to], %x;
  return;
}
";

#[test]
fn loaders_see_kernels_and_exported_functions_only() {
    let Some(llvm) = found::llvm() else { return };
    let module = module(FUNCTIONS);
    let exported = |function: &&Function| {
        matches!(function.kind, FunctionKind::Device { linkage: Linkage::Exported, .. })
    };
    assert_eq!(module.functions.values().filter(exported).count(), 1);
    let code_object = compiler(llvm, "gfx1100").code_object(&module).unwrap();
    let symbols = metadata::symbols(&code_object);
    for name in ["twice", "k", "k.kd"] {
        assert!(symbols.iter().any(|symbol| symbol == name), "{name}: {symbols:?}");
    }
    assert!(!symbols.iter().any(|symbol| symbol == "hidden"), "{symbols:?}");
}

#[test]
fn what_is_known_of_buffers_is_said() {
    let Some(llvm) = found::llvm() else { return };
    let alone = BTreeSet::from([("k".to_owned(), 0), ("k".to_owned(), 1)]);
    let code_object = compiler(llvm, "gfx1100").with_no_alias(alone).code_object(&module(FUNCTIONS)).unwrap();
    let kernels = metadata::kernels(&code_object);
    let [out, input] = &kernels[0].arguments[..2] else { panic!("{kernels:?}") };
    assert_eq!((out.access.as_deref(), out.is_constant, out.is_alone), (None, false, true));
    assert_eq!((input.access.as_deref(), input.is_constant, input.is_alone), (Some("read_only"), true, true));
}

#[test]
fn shared_memory_and_waves_are_said() {
    let Some(llvm) = found::llvm() else { return };
    let module = module(
        ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out) {
  .shared @tile[4096];
  .reg .64b %to;
  .reg .32b %x, %place;
  shl.32b %place, %localid.x, 2;
  .reg .32b %tile;
  addrof.32b %tile, @tile;
  st.shared.32b [%tile + %place], %place;
  barrier.workgroup;
  ld.shared.32b %x, [%tile];
  ld.param.64b %to, [%out];
  st.global.32b [%to], %x;
  return;
}
",
    );
    for (name, wave) in [("gfx90a", 64), ("gfx1100", 32)] {
        let kernels = metadata::kernels(&compiler(llvm, name).code_object(&module).unwrap());
        assert_eq!((kernels[0].shared_bytes, kernels[0].wave), (4096, wave), "{name}");
    }
}

/// What LLVM 22 makes wrong code of does not reach it: products that become sums with +0 together with a change to or from half
/// precision, and counts of zeros in narrow values beside a choice.
#[test]
fn known_faults_of_llvm_are_kept_away() {
    let Some(llvm) = found::llvm() else { return };
    let module = module(
        ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out) {
  .reg .64b %to;
  .reg .16b %x, %y, %z;
  ld.param.64b %to, [%out];
  ld.global.16b %x, [%to];
  ld.global.16b %y, [%to + 2];
  fmul.rz.hf %z, %x, %y;
  st.global.16b [%to + 4], %z;
  fbh.16b %z, %x;
  st.global.16b [%to + 6], %z;
  return;
}
",
    );
    for name in ["gfx90a", "gfx1100"] {
        let assembly = compiler(llvm, name).assembly(&module).unwrap();
        assert!(!assembly.contains("_mix"), "{assembly}");
        let shift = assembly.lines().any(|line| line.contains("v_lshlrev_b32") && line.contains(", 16, "));
        assert!(shift, "{assembly}");
    }
}

/// The places of the warnings about a file of the repository.
fn warnings(llvm: &'static Llvm, name: &str, file: &str) -> Vec<u32> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/run").join(file);
    let module = files::module(file, &std::fs::read_to_string(path).expect("a file of the repository"));
    let warnings = compiler(llvm, name).warnings(&module);
    let lines = warnings.iter().map(|warning| warning.source.position(warning.labels[0].span.start).0);
    lines.map(|line| line as u32).collect()
}

/// In `text_order.pisa`, `%activemask` is stored in a block that two ways lead to, behind a loop that lanes leave one by one, and in
/// the second of three blocks that they enter at different places; the flags of `spin_wait.pisa` are written by another sub-group.
#[test]
fn what_the_gpu_decides_is_told() {
    let Some(llvm) = found::llvm() else { return };
    assert_eq!(warnings(llvm, "gfx1100", "divergence/text_order.pisa"), [25, 48, 122]);
    assert!(warnings(llvm, "gfx1100", "synchronization/spin_wait.pisa").is_empty());
    assert_eq!(warnings(llvm, "gfx90a", "synchronization/spin_wait.pisa"), [54]);
}

/// Loads stay before the barrier that they stand before, also where only the blocks behind it use what they load.
#[test]
fn loads_stay_before_barriers() {
    let Some(llvm) = found::llvm() else { return };
    let module = module(
        ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out) {
  .shared .align 4 @values[256];
  .reg .64b %to;
  .reg .32b %at, %other, %v, %left;
  .pred %more;
  shl.32b %at, %localid.x, 2;
  xor.32b %other, %at, 4;
  mov.32b %v, %at;
  mov.32b %left, %groupid.x;
again:
  st.shared.32b [@values + %at], %v;
  barrier.workgroup;
  ld.shared.32b %v, [@values + %other];
  iadd.32b %v, %v, 1;
  barrier.workgroup;
  ucmp.ne.32b %more, %left, 0;
  isub.32b %left, %left, 1;
  goto.cond %more, again;
  ld.param.64b %to, [%out];
  umad.full.32b %to, %localid.x, 4, %to;
  st.global.32b [%to], %v;
  return;
}
",
    );
    for name in ["gfx90a", "gfx1100", "gfx1201"] {
        let assembly = compiler(llvm, name).assembly(&module).unwrap();
        let order: Vec<&str> = assembly
            .lines()
            .filter_map(|line| match line.trim_start() {
                line if line.starts_with("ds_") && line.contains("load") || line.starts_with("ds_read") => {
                    Some("load")
                }
                line if line.starts_with("ds_") => Some("store"),
                line if line.starts_with("s_barrier_wait") => Some("barrier"),
                line if line.starts_with("s_barrier") && !line.starts_with("s_barrier_signal") => {
                    Some("barrier")
                }
                _ => None,
            })
            .collect();
        assert_eq!(order, ["store", "barrier", "load", "barrier"], "{name}\n{assembly}");
    }
}
