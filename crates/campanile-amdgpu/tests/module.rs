//! The ABI of whole modules: what functions need, what kernels are launched with, what is held over calls.

use std::sync::Arc;

use campanile_amdgpu::{CodeObject, KernelAbi, LlvmVersion, ModuleAbi, Target};
use campanile_core::diagnostic::Sink;
use campanile_core::module::Module;
use campanile_core::source::SourceFile;

fn module(text: &str) -> Module {
    let text = format!(".version 0.1;\n.target 100;\n{text}");
    let source = Arc::new(SourceFile::new("case", text).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let messages = || sink.into_sorted().into_iter().map(|found| found.message).collect::<Vec<_>>();
    module.unwrap_or_else(|| panic!("{:?}", messages()))
}

fn target(processor: &str, llvm: LlvmVersion) -> Target {
    Target::new(processor.parse().unwrap(), llvm).unwrap()
}

fn abi(text: &str) -> ModuleAbi {
    ModuleAbi::new(&module(text), &target("gfx1100", LlvmVersion::Llvm22))
}

fn implicit(abi: &ModuleAbi, name: &str) -> Vec<&'static str> {
    let function = abi.functions.iter().find(|function| function.name == name).unwrap();
    function.implicit.iter().map(|input| input.name).collect()
}

const CALLERS: &str = "
.import .function void @far(.reg .32b);
.function .32b @item() {
  .reg .32b %a;
  mov.32b %a, %localid.y;
  return %a;
}
.function .32b @size() {
  .reg .32b %a, %b;
  mov.32b %a, %localsize.x;
  call %b, @item();
  iadd.32b %a, %a, %b;
  return %a;
}
.function .32b @lane() {
  .reg .32b %a;
  mov.32b %a, %laneid;
  return %a;
}
.function .32b @around(.reg .32b %n) {
  .reg .32b %a;
  .pred %p;
  ucmp.eq.32b %p, %n, 0;
  goto.cond %p, end;
  isub.32b %n, %n, 1;
  call %a, @around(%n);
end:
  call %a, @size();
  return %a;
}
.function void @beyond(.reg .32b %n) {
  call void, @far(%n);
  return;
}
";

#[test]
fn functions_need_what_they_and_their_callees_read() {
    let abi = abi(CALLERS);
    assert_eq!(implicit(&abi, "item"), ["workitem-id-y"]);
    assert_eq!(implicit(&abi, "size"), ["implicitarg-ptr", "workgroup-id-x", "workitem-id-y"]);
    assert_eq!(implicit(&abi, "around"), implicit(&abi, "size"));
    assert_eq!(implicit(&abi, "lane"), [""; 0]);
    assert_eq!(implicit(&abi, "far").len(), 11);
    assert_eq!(implicit(&abi, "beyond").len(), 11);
    let item = &abi.functions.iter().find(|function| function.name == "item").unwrap().implicit[0];
    assert_eq!(item.slots.iter().map(ToString::to_string).collect::<Vec<_>>(), ["v31"]);
}

#[test]
fn what_is_read_after_a_call_must_survive_it() {
    let abi = abi(".function .32b @leaf(.reg .32b %x) {
  return %x;
}
.function .32b @f(.reg .32b %a, .reg .64b %b, .reg .v3.16b %c) {
  .reg .32b %r, %s, %dead;
  .pred %p;
  .reg .v3.16b %d;
  ucmp.eq.32b %p, %a, 0;
  mov.32b %dead, 7;
  call %r, @leaf(%dead);
  mov.32b %s, %localid.x;
  iadd.32b %r, %r, %s;
  goto.cond %p, end;
  call %s, @leaf(%a);
  iadd.32b %r, %r, %s;
end:
  trunc.32b.64b %s, %b;
  iadd.32b %r, %r, %s;
  return %r;
}
");
    let function = &abi.functions[1];
    let [first, second] = &function.calls[..] else { panic!("{:?}", function.calls) };
    assert_eq!((first.line, first.callee.as_str()), (12, "leaf"));
    assert_eq!(first.must_spill, ["a", "b", "p"]);
    assert_eq!((first.slots, first.predicates, first.saved_registers, first.memory_bytes), (3, 1, 3, 0));
    assert_eq!(first.implicit, ["workitem-id-x"]);
    assert_eq!(second.must_spill, ["b", "r"]);
    assert_eq!(second.implicit, [""; 0]);
    assert!(abi.functions[0].calls.is_empty());
}

#[test]
fn what_finds_no_register_is_held_in_memory() {
    let abi = abi(".function void @leaf() {
  return;
}
.function .v64.32b @f(.reg .v64.32b %a, .reg .v64.32b %b) {
  call void, @leaf();
  call void, @leaf();
  return %b;
}
.function void @g(.reg .v64.32b %a, .reg .v64.32b %b) {
  .reg .32b %x;
again:
  call void, @leaf();
  goto again;
}
");
    let calls = &abi.functions[1].calls;
    assert_eq!(calls[0].must_spill, ["b"]);
    assert_eq!((calls[0].slots, calls[0].saved_registers, calls[0].memory_bytes), (64, 64, 0));
    assert_eq!(abi.functions[1].returns_through.map(|slot| slot.to_string()), Some("v0".to_owned()));
    assert!(abi.functions[1].returns.is_empty());
    assert_eq!(abi.functions[1].stack_bytes, 4 * (1 + 128 - 31));
    assert!(abi.functions[2].calls[0].must_spill.is_empty());
}

fn kernel(parameters: &str, body: &str, code_object: CodeObject) -> KernelAbi {
    let module = module(&format!("{CALLERS}\n.kernel @k ({parameters}) {{\n{body}\nreturn;\n}}\n"));
    let mut target = target("gfx1100", LlvmVersion::Llvm22);
    target.code_object = code_object;
    ModuleAbi::new(&module, &target).kernels.remove(0)
}

const PARAMETERS: &str = ".param[8] .addrspace(global) %a, .param[1] .align(4) %b, .param[2] .align(4) %c,
  .param[16] .align(16) %d, .param[4] .align(4) .addrspace(shared) .ptr_align(16) %e";

fn hidden(kernel: &KernelAbi) -> Vec<(&'static str, u32, u32)> {
    kernel.hidden.iter().map(|argument| (argument.name, argument.offset, argument.size)).collect()
}

#[test]
fn kernels_take_their_arguments_in_order_and_the_hidden_ones_behind() {
    let plain = kernel(PARAMETERS, "", CodeObject::V6);
    let offsets: Vec<u32> = plain.args.iter().map(|argument| argument.offset).collect();
    assert_eq!(offsets, [0, 8, 12, 16, 32]);
    assert_eq!((plain.kernarg_size, plain.kernarg_align), (36, 16));
    assert!(plain.hidden.is_empty());
    let kinds: Vec<&str> = plain.args.iter().map(|argument| argument.kind.name()).collect();
    assert_eq!(kinds, ["global_buffer", "by_value", "by_value", "by_value", "dynamic_shared_pointer"]);
    assert_eq!(plain.args[4].pointee_align, Some(16));

    let read = ".reg .64b %x;\nmov.64b %x, %globalsize.x;";
    let five = kernel(PARAMETERS, read, CodeObject::V5);
    assert_eq!(five.kernarg_size, 296);
    assert_eq!(hidden(&five)[0], ("block_count_x", 40, 4));
    assert_eq!(hidden(&five)[13], ("dynamic_lds_size", 160, 4));
    assert_eq!(hidden(&five).len(), 14);
    // Version 4 has it in the dispatch packet.
    let four = kernel(PARAMETERS, read, CodeObject::V4);
    assert_eq!((four.kernarg_size, four.hidden.len()), (36, 0));
    let offset = ".reg .64b %x;\nmov.64b %x, %globaloffset.x;";
    let four = kernel(PARAMETERS, offset, CodeObject::V4);
    assert_eq!((four.kernarg_size, hidden(&four)[2]), (40 + 56, ("global_offset_z", 56, 8)));
    let unknown = kernel("", ".reg .32b %n;\nmov.32b %n, 1;\ncall void, @far(%n);", CodeObject::V6);
    assert_eq!(unknown.kernarg_size, 256);
    assert_eq!(hidden(&unknown).last(), Some(&("queue_ptr", 200, 8)));
}

#[test]
fn kernels_find_only_what_they_need() {
    let registers = |processor, llvm, parameters: &str, body: &str| {
        let module = module(&format!("{CALLERS}\n.kernel @k ({parameters}) {{\n{body}\nreturn;\n}}\n"));
        let kernel = ModuleAbi::new(&module, &target(processor, llvm)).kernels.remove(0);
        let shown = kernel.registers.iter().map(|found| {
            let slots: Vec<String> = found.slots.iter().map(ToString::to_string).collect();
            format!("{} {}", found.name, slots.join(":"))
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    let far = ".reg .32b %n;\nmov.32b %n, 1;\ncall void, @far(%n);";
    assert_eq!(
        registers("gfx900", LlvmVersion::Llvm22, ".param[4] .align(4) %n", ""),
        "private-segment-buffer s0:s1:s2:s3, kernarg-segment-ptr s4:s5, workgroup-id-x s6, \
         private-segment-wave-offset s7, workitem-id-x v0"
    );
    assert_eq!(
        registers("gfx1030", LlvmVersion::Llvm19, "", far),
        "private-segment-buffer s0:s1:s2:s3, dispatch-ptr s4:s5, kernarg-segment-ptr s6:s7, dispatch-id s8:s9, \
         flat-scratch-init s10:s11, workgroup-id-x s12, workgroup-id-y s13, workgroup-id-z s14, \
         private-segment-wave-offset s15, workitem-id-x v0, workitem-id-y v1, workitem-id-z v2"
    );
    assert_eq!(
        registers("gfx1100", LlvmVersion::Llvm22, "", ".reg .32b %n;\nmov.32b %n, %groupid.z;"),
        "workgroup-id-x s14, workgroup-id-z s15, workitem-id-x v0"
    );
    assert_eq!(
        registers("gfx1201", LlvmVersion::Llvm22, "", ".reg .32b %n;\nmov.32b %n, %localid.z;"),
        "workitem-id-x v0, workitem-id-y v0, workitem-id-z v0"
    );
}
