//! Large modules for measuring: the same random kernels as PISA text, laid out as LLVM's backend prints it, and as
//! LLVM IR text, operation for operation.
//!
//! The texts are written as they are made, so that this program stays small: the system counts its memory as that of
//! the programs it starts.

use std::fmt::Write as _;
use std::io::{Result, Write};

/// What has been written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Bytes of PISA text.
    pub pisa_bytes: usize,
    /// Instructions of PISA text.
    pub pisa_instructions: usize,
    /// Bytes of LLVM IR text.
    pub llvm_bytes: usize,
    /// Instructions of LLVM IR text.
    pub llvm_instructions: usize,
}

/// Writes whole kernels until the PISA text has `size` bytes.
pub fn generate(size: usize, pisa: &mut impl Write, llvm: &mut impl Write) -> Result<Written> {
    let mut written = Written::default();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut emit = |written: &mut Written, ours: &str, theirs: &str| {
        written.pisa_bytes += ours.len();
        written.llvm_bytes += theirs.len();
        pisa.write_all(ours.as_bytes())?;
        llvm.write_all(theirs.as_bytes())
    };
    emit(&mut written, ".version 1.0;\n.target 100;\n\n", LLVM_HEAD)?;
    for index in 0.. {
        let kernel = Kernel::new(&mut random).finish(index);
        written.pisa_instructions += kernel.pisa.instructions;
        written.llvm_instructions += kernel.llvm.instructions;
        emit(&mut written, &kernel.pisa.text, &kernel.llvm.text)?;
        if written.pisa_bytes >= size {
            break;
        }
    }
    Ok(written)
}

const LLVM_HEAD: &str = "declare i64 @get_global_id(i32)\ndeclare void @barrier()\n\
    declare float @llvm.fma.f32(float, float, float)\ndeclare float @llvm.sqrt.f32(float)\n\
    declare float @llvm.minnum.f32(float, float)\ndeclare float @llvm.maxnum.f32(float, float)\n\
    declare i32 @llvm.umin.i32(i32, i32)\ndeclare i32 @llvm.smax.i32(i32, i32)\n\n";

/// The same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// One of the two texts of a kernel's body.
#[derive(Default)]
struct Body {
    text: String,
    instructions: usize,
}

impl Body {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.instructions += 1;
    }
}

/// A value: its register in PISA and its number in LLVM IR.
#[derive(Clone, Copy)]
struct Value {
    register: usize,
    number: usize,
}

/// The values that are defined wherever the next instruction stands.
#[derive(Clone, Default)]
struct Defined {
    words: Vec<Value>,
    floats: Vec<Value>,
}

struct Kernel<'r> {
    random: &'r mut Random,
    pisa: Body,
    llvm: Body,
    defined: Defined,
    /// Registers in use: predicates, 32-bit, 64-bit, vectors.
    registers: [usize; 4],
    /// Numbers of LLVM values in use.
    numbers: usize,
    labels: usize,
    address: Value,
    /// Label of the LLVM block that the next instruction belongs to.
    block: String,
}

const PREDICATE: usize = 0;
const WORD: usize = 1;
const LONG: usize = 2;
const VECTOR: usize = 3;

/// Buffers and numbers that each kernel takes.
const PARAMETERS: usize = 4;

const INTEGER: [(&str, &str); 9] = [
    ("iadd.32b", "add nsw"),
    ("isub.32b", "sub nsw"),
    ("umul.32b", "mul"),
    ("and.32b", "and"),
    ("or.32b", "or"),
    ("xor.32b", "xor"),
    ("shl.32b", "shl"),
    ("shr.32b", "lshr"),
    ("asr.32b", "ashr"),
];
const FLOAT: [(&str, &str); 4] =
    [("fadd.f", "fadd"), ("fsub.f", "fsub"), ("fmul.f", "fmul"), ("fdiv.f", "fdiv")];
const FLOAT_CALLS: [(&str, &str); 2] = [("fmin.f", "minnum"), ("fmax.f", "maxnum")];
const INTEGER_CALLS: [(&str, &str); 2] = [("umin.32b", "umin"), ("smax.32b", "smax")];

impl<'r> Kernel<'r> {
    fn new(random: &'r mut Random) -> Self {
        let mut kernel = Kernel {
            random,
            pisa: Body::default(),
            llvm: Body::default(),
            defined: Defined::default(),
            registers: [0; 4],
            numbers: PARAMETERS,
            labels: 0,
            address: Value { register: 0, number: 0 },
            block: "entry".to_owned(),
        };
        kernel.body();
        kernel
    }

    fn new_value(&mut self, kind: usize) -> Value {
        let value = Value { register: self.registers[kind], number: self.numbers };
        self.registers[kind] += 1;
        self.numbers += 1;
        value
    }

    fn word(&mut self) -> Value {
        let recent = self.defined.words.len().min(12);
        let back = self.random.below(recent);
        self.defined.words[self.defined.words.len() - 1 - back]
    }

    fn float(&mut self) -> Value {
        let recent = self.defined.floats.len().min(12);
        let back = self.random.below(recent);
        self.defined.floats[self.defined.floats.len() - 1 - back]
    }

    /// An operation in both texts.
    fn both(&mut self, ours: &str, theirs: &str) {
        self.pisa.line(ours);
        self.llvm.line(theirs);
    }

    /// The parameters are read, the work-item finds its element, and then blocks follow.
    fn body(&mut self) {
        for parameter in 0..2 {
            let register = self.registers[LONG];
            self.registers[LONG] += 1;
            self.pisa.line(&format!("\tld.param.64b %d{register}, [%arg{parameter}];"));
        }
        for parameter in 2..PARAMETERS {
            let register = self.registers[WORD];
            self.registers[WORD] += 1;
            self.pisa.line(&format!("\tld.param.32b %w{register}, [%arg{parameter}];"));
            self.defined.words.push(Value { register, number: parameter });
        }
        // The id has 64 bits in LLVM IR: two instructions on either side.
        let id = self.new_value(WORD);
        self.numbers += 1;
        self.pisa.line(&format!("\tumad.32b \t%w{}, %groupid.x, %localsize.x, %localid.x;", id.register));
        self.both(
            &format!("\tiadd.32b \t%w{0}, %w{0}, 1;", id.register),
            &format!("  %{} = call i64 @get_global_id(i32 0)", id.number),
        );
        self.llvm.line(&format!("  %{} = trunc i64 %{} to i32", id.number + 1, id.number));
        let id = Value { number: id.number + 1, ..id };
        self.defined.words.push(id);
        self.element_address(id);
        self.load();
        self.load_vector();
        for _ in 0..6 + self.random.below(12) {
            self.straight_line();
            match self.random.below(5) {
                0 => self.conditional(),
                1 => self.repetition(),
                2 => self.barrier(),
                _ => self.element_and_load(),
            }
        }
        let value = self.float();
        self.store(value);
        self.both("\treturn;", "  ret void");
    }

    fn element_address(&mut self, index: Value) {
        let extended = self.new_value(LONG);
        let scaled = self.new_value(LONG);
        let address = self.new_value(LONG);
        self.pisa.line(&format!("\tzext.64b.32b \t%d{}, %w{};", extended.register, index.register));
        self.pisa.line(&format!("\tshl.64b \t%d{}, %d{}, 2;", scaled.register, extended.register));
        self.both(
            &format!("\tiadd.64b \t%d{}, %d0, %d{};", address.register, scaled.register),
            &format!("  %{} = zext i32 %{} to i64", extended.number, index.number),
        );
        self.llvm.line(&format!("  %{} = shl i64 %{}, 2", scaled.number, extended.number));
        self.llvm.line(&format!(
            "  %{} = getelementptr inbounds i8, ptr addrspace(1) %0, i64 %{}",
            address.number, scaled.number
        ));
        self.address = address;
    }

    fn load(&mut self) {
        let value = self.new_value(WORD);
        let Value { register, number } = self.address;
        self.both(
            &format!("\tld.global.32b\t %w{}, [%d{register}];", value.register),
            &format!("  %{} = load float, ptr addrspace(1) %{number}, align 4", value.number),
        );
        self.defined.floats.push(value);
    }

    fn load_vector(&mut self) {
        let vector = self.new_value(VECTOR);
        self.both(
            &format!("\tld.global.v4.32b\t %v4w{}, [%d1];", vector.register),
            &format!("  %{} = load <4 x float>, ptr addrspace(1) %1, align 16", vector.number),
        );
        for (index, element) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let value = self.new_value(WORD);
            self.both(
                &format!("\tmov.32b \t%w{}, %v4w{}.{element};", value.register, vector.register),
                &format!("  %{} = extractelement <4 x float> %{}, i64 {index}", value.number, vector.number),
            );
            self.defined.floats.push(value);
        }
    }

    fn element_and_load(&mut self) {
        let index = self.word();
        self.element_address(index);
        self.load();
    }

    fn store(&mut self, value: Value) {
        let Value { register, number } = self.address;
        self.both(
            &format!("\tst.global.32b\t [%d{register}], %w{};", value.register),
            &format!("  store float %{}, ptr addrspace(1) %{number}, align 4", value.number),
        );
    }

    fn barrier(&mut self) {
        self.both("\tbarrier.workgroup;", "  call void @barrier()");
    }

    fn compare(&mut self) -> Value {
        let (left, result) = (self.word(), self.new_value(PREDICATE));
        let bound = self.random.below(1000);
        self.both(
            &format!("\tucmp.lt.32b \t%p{}, %w{}, {bound};", result.register, left.register),
            &format!("  %{} = icmp ult i32 %{}, {bound}", result.number, left.number),
        );
        result
    }

    /// A dozen operations on values at hand.
    fn straight_line(&mut self) {
        for _ in 0..8 + self.random.below(12) {
            match self.random.below(16) {
                0..5 => self.integer(),
                5..10 => self.arithmetic(),
                10 | 11 => self.fused(),
                12 => self.call(),
                13 => self.convert(),
                14 => self.select(),
                _ => {
                    let value = self.float();
                    self.store(value);
                }
            }
        }
    }

    fn integer(&mut self) {
        let (ours, theirs) = self.random.pick(&INTEGER);
        let (left, right) = (self.word(), self.word());
        let constant = self.random.below(31);
        let result = self.new_value(WORD);
        let with_constant = ours.contains("sh") || ours == "asr.32b" || constant < 12;
        let (our_right, their_right) = if with_constant {
            (constant.to_string(), constant.to_string())
        } else {
            (format!("%w{}", right.register), format!("%{}", right.number))
        };
        self.both(
            &format!("\t{ours} \t%w{}, %w{}, {our_right};", result.register, left.register),
            &format!("  %{} = {theirs} i32 %{}, {their_right}", result.number, left.number),
        );
        self.defined.words.push(result);
    }

    fn arithmetic(&mut self) {
        let (ours, theirs) = self.random.pick(&FLOAT);
        let (left, right) = (self.float(), self.float());
        let result = self.new_value(WORD);
        if self.random.below(4) == 0 {
            self.both(
                &format!("\t{ours} \t%w{}, %w{}, 0x3f000000;", result.register, left.register),
                &format!("  %{} = {theirs} float %{}, 5.000000e-01", result.number, left.number),
            );
        } else {
            self.both(
                &format!("\t{ours} \t%w{}, %w{}, %w{};", result.register, left.register, right.register),
                &format!("  %{} = {theirs} float %{}, %{}", result.number, left.number, right.number),
            );
        }
        self.defined.floats.push(result);
    }

    fn fused(&mut self) {
        let (first, second, third) = (self.float(), self.float(), self.float());
        let result = self.new_value(WORD);
        self.both(
            &format!(
                "\tfmad.f \t%w{}, %w{}, %w{}, %w{};",
                result.register, first.register, second.register, third.register
            ),
            &format!(
                "  %{} = call float @llvm.fma.f32(float %{}, float %{}, float %{})",
                result.number, first.number, second.number, third.number
            ),
        );
        self.defined.floats.push(result);
    }

    fn call(&mut self) {
        if self.random.below(2) == 0 {
            let (ours, theirs) = self.random.pick(&FLOAT_CALLS);
            let (left, right, result) = (self.float(), self.float(), self.new_value(WORD));
            self.both(
                &format!("\t{ours} \t%w{}, %w{}, %w{};", result.register, left.register, right.register),
                &format!(
                    "  %{} = call float @llvm.{theirs}.f32(float %{}, float %{})",
                    result.number, left.number, right.number
                ),
            );
            self.defined.floats.push(result);
        } else {
            let (ours, theirs) = self.random.pick(&INTEGER_CALLS);
            let (left, right, result) = (self.word(), self.word(), self.new_value(WORD));
            self.both(
                &format!("\t{ours} \t%w{}, %w{}, %w{};", result.register, left.register, right.register),
                &format!(
                    "  %{} = call i32 @llvm.{theirs}.i32(i32 %{}, i32 %{})",
                    result.number, left.number, right.number
                ),
            );
            self.defined.words.push(result);
        }
    }

    fn convert(&mut self) {
        if self.random.below(2) == 0 {
            let (source, result) = (self.word(), self.new_value(WORD));
            self.both(
                &format!("\ti2f.f.s32 \t%w{}, %w{};", result.register, source.register),
                &format!("  %{} = sitofp i32 %{} to float", result.number, source.number),
            );
            self.defined.floats.push(result);
        } else {
            let (source, result) = (self.float(), self.new_value(WORD));
            self.both(
                &format!("\tf2i.s32.f \t%w{}, %w{};", result.register, source.register),
                &format!("  %{} = fptosi float %{} to i32", result.number, source.number),
            );
            self.defined.words.push(result);
        }
    }

    fn select(&mut self) {
        let condition = self.compare();
        let (left, right, result) = (self.word(), self.word(), self.new_value(WORD));
        self.both(
            &format!(
                "\tsel.32b \t%w{}, %w{}, %w{}, %p{};",
                result.register, left.register, right.register, condition.register
            ),
            &format!(
                "  %{} = select i1 %{}, i32 %{}, i32 %{}",
                result.number, condition.number, left.number, right.number
            ),
        );
        self.defined.words.push(result);
    }

    /// A block that is skipped by some work-items.
    fn conditional(&mut self) {
        let condition = self.compare();
        let label = self.labels;
        self.labels += 1;
        self.both(
            &format!("\tgoto.cond !%p{}, LBB{label}_2;", condition.register),
            &format!("  br i1 %{}, label %then{label}, label %join{label}", condition.number),
        );
        let _ = writeln!(self.pisa.text, "// %bb.{label}:");
        let _ = writeln!(self.llvm.text, "\nthen{label}:");
        let before = self.defined.clone();
        self.straight_line();
        let value = self.float();
        self.store(value);
        self.llvm.line(&format!("  br label %join{label}"));
        let _ = writeln!(self.pisa.text, "LBB{label}_2:");
        let _ = writeln!(self.llvm.text, "\njoin{label}:");
        self.block = format!("join{label}");
        self.defined = before;
    }

    /// A counted loop with one value carried around it.
    fn repetition(&mut self) {
        let label = self.labels;
        self.labels += 1;
        let (start, count, carried) = (self.float(), self.new_value(WORD), self.new_value(WORD));
        self.pisa.line(&format!("\tmov.32b \t%w{}, 0;", count.register));
        self.pisa.line(&format!("\tmov.32b \t%w{}, %w{};", carried.register, start.register));
        let _ = writeln!(self.pisa.text, "LBB{label}_1:");
        // The values that the phis take from the end of the loop have no number yet: the body is made apart.
        let above = std::mem::take(&mut self.llvm);
        self.defined.words.push(count);
        self.defined.floats.push(carried);
        self.straight_line();
        let last = self.float();
        let (next, condition) = (self.new_value(WORD), self.new_value(PREDICATE));
        self.pisa.line(&format!("\tmov.32b \t%w{}, %w{};", carried.register, last.register));
        self.pisa.line(&format!("\tiadd.32b \t%w{0}, %w{0}, 1;", count.register));
        self.pisa.line(&format!("\tucmp.lt.32b \t%p{}, %w{}, 16;", condition.register, count.register));
        self.both(
            &format!("\tgoto.cond %p{}, LBB{label}_1;", condition.register),
            &format!("  %{} = add nuw nsw i32 %{}, 1", next.number, count.number),
        );
        self.llvm.line(&format!("  %{} = icmp ult i32 %{}, 16", condition.number, next.number));
        self.llvm.line(&format!("  br i1 %{}, label %loop{label}, label %done{label}", condition.number));
        let _ = writeln!(self.llvm.text, "\ndone{label}:");
        let body = std::mem::replace(&mut self.llvm, above);
        self.llvm.line(&format!("  br label %loop{label}"));
        let _ = writeln!(self.llvm.text, "\nloop{label}:");
        let entry = std::mem::replace(&mut self.block, format!("done{label}"));
        self.llvm.line(&format!(
            "  %{} = phi i32 [ 0, %{entry} ], [ %{}, %loop{label} ]",
            count.number, next.number
        ));
        self.llvm.line(&format!(
            "  %{} = phi float [ %{}, %{entry} ], [ %{}, %loop{label} ]",
            carried.number, start.number, last.number
        ));
        self.llvm.text.push_str(&body.text);
        self.llvm.instructions += body.instructions;
    }

    /// Puts the bodies into their kernels.
    fn finish(mut self, index: usize) -> Self {
        let mut head = format!(
            ".kernel @kernel{index}(.param[8] .addrspace(global) .ptr_align(4) %arg0, .param[8] .addrspace(global) \
             .ptr_align(16) %arg1, .param[4] .align(4) %arg2, .param[4] .align(4) %arg3)\n{{\n"
        );
        for (declaration, count) in
            [".pred %p", ".reg .32b %w", ".reg .64b %d", ".reg .v4.32b %v4w"].into_iter().zip(self.registers)
        {
            if count > 0 {
                let _ = writeln!(head, "\t{declaration}<0~{count}>;");
            }
        }
        self.pisa.text = format!("{head}// %bb.0:\n{}}}\n\n", self.pisa.text);
        self.llvm.text = format!(
            "define spir_kernel void @kernel{index}(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, i32 %3) {{\n\
             entry:\n{}}}\n\n",
            self.llvm.text
        );
        self
    }
}
