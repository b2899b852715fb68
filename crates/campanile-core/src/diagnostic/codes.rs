//! The table of diagnostic codes: number, title, explanation, a wrong and a right example.

crate::code_table! {
    /// A stable diagnostic code, shown as `P0123`.
    'P'

    InvalidCharacter = 101, Error, "character that belongs to no token",
        "PISA text is made of names, numbers, texts in double quotes, and the punctuation `, ; : ( ) [ ] { } + - ! < > ~ =`. A comment starts with `//` and goes to the end of the line.",
        "mov.32b %a, #1;",
        "mov.32b %a, 1;";
    UnterminatedText = 102, Error, "text in quotes that is not closed",
        "A text in double quotes ends on the line where it starts. A quote inside is written `\\\"`.",
        ".global .section(\"data @g[4];",
        ".global .section(\"data\") @g[4];";
    InvalidName = 103, Error, "prefix without a name",
        "Behind `%` (registers) and `@` (functions, kernels, variables) stands a name: a letter, `$`, `.` or `_`, then also digits (spec 1.3).",
        "mov.32b %1, %a;",
        "mov.32b %b, %a;";
    InvalidEscape = 104, Error, "unknown escape in a text",
        "Texts in quotes know the escapes `\\n`, `\\\"`, `\\\\` and a backslash with two hexadecimal digits.",
        ".global @\"a\\q\"[4];",
        ".global @\"a\\41\"[4];";
    InvalidNumber = 105, Error, "malformed number",
        "Numbers are decimal (`10`, `-1`), hexadecimal (`0x1F`, without sign), or in floating-point operands decimal fractions (`1.5`, `-2e-3`). A minus sign stands directly before the digits; there is no plus sign (spec 3.2).",
        "iadd.32b %a, %a, 12z;",
        "iadd.32b %a, %a, 12;";
    UnexpectedToken = 110, Error, "something else was expected",
        "The text does not follow the grammar at this place; the message says what could stand there (spec 1.2).",
        "iadd.32b %a %b, %c;",
        "iadd.32b %a, %b, %c;";
    MissingSemicolon = 111, Error, "missing semicolon",
        "Declarations and instructions end with `;` (spec 1.2).",
        "iadd.32b %a, %b, %c",
        "iadd.32b %a, %b, %c;";
    UnknownDirective = 112, Error, "unknown directive",
        "At module scope stand `.version`, `.target`, `.global`, `.const`, `.kernel` and `.function`, some after `.export` or `.import`; in a body `.reg`, `.pred`, `.private`, `.shared` and `.const`.",
        ".register .32b %x;",
        ".reg .32b %x;";
    UnclosedBody = 113, Error, "body without closing brace",
        "Every `{` of a body or scope has its `}`; kernels and functions do not nest.",
        ".kernel @k() {\n  return;\n.kernel @l() { return; }",
        ".kernel @k() {\n  return;\n}\n.kernel @l() { return; }";
    LabelNotAlone = 114, Error, "label that shares its line",
        "A label stands alone on its line; only a comment may follow it (spec 1.2).",
        "next: mov.32b %a, %b;\n  goto next;",
        "next:\n  mov.32b %a, %b;\n  goto next;";
    InvalidText = 115, Error, "file that is not UTF-8",
        "PISA text is UTF-8, of at most 4 GiB; outside comments and quotes it is plain ASCII.",
        ".global @g[4]; // a byte that is no UTF-8",
        ".global @g[4];";
    DeepScopes = 116, Error, "scopes nested too deep",
        "Scopes stand at most 65536 deep within one another, so that texts made of braces end soon.",
        "",
        "";
    UnknownInstruction = 201, Error, "unknown instruction",
        "No instruction has this name. Names are written in lower case. `pisa explain` without an argument lists all.",
        "addi.32b %a, %b, %c;",
        "iadd.32b %a, %b, %c;";
    InvalidQualifier = 202, Error, "qualifier missing, unknown or out of order",
        "The qualifiers of a mnemonic stand in the order of the syntax line, each with one of its words; those in `<>` may be left out.",
        "fadd.f.ru %a, %b, %c;",
        "fadd.ru.f %a, %b, %c;";
    QualifierRule = 203, Error, "qualifiers that exclude one another",
        "Some qualifiers are restricted by others; the message is the rule. `pisa explain` with the instruction lists its rules.",
        "dp4a.uu.dsat.32b %a, %b, %c, %a;",
        "dp4a.ss.dsat.32b %a, %b, %c, %a;";
    OperandCount = 204, Error, "wrong number of operands",
        "Each form of an instruction has a fixed list of operands.",
        "iadd.32b %a, %b;",
        "iadd.32b %a, %b, %c;";
    OperandKind = 205, Error, "operand of the wrong kind",
        "Each operand is a register, an immediate, a predicate, an address or a name, as the form says. Immediates stand only where a scalar is read and the form allows it; packed operands are registers.",
        "sel.32b %a, %b, %c, 1;",
        "sel.32b %a, %b, %c, %p0;";
    WidthMismatch = 206, Error, "operand of the wrong width",
        "The bit width of an operand must match the type of the instruction; nothing is converted implicitly (spec 3).",
        "iadd.32b %a, %h, %b;",
        "iadd.16b %h, %h, %g;";
    ElementCount = 207, Error, "vector with the wrong number of elements",
        "The number of elements of a vector must match `.vec` or the packed type.",
        "ld.global.v2.32b %v, [%d];",
        "ld.global.v4.32b %v, [%d];";
    ImmediateRange = 208, Error, "immediate that does not fit",
        "An integer immediate must lie in the signed or unsigned range of the operand width (spec 3.2).",
        "and.16b %h, %h, 65536;",
        "and.16b %h, %h, 65535;";
    ImmediateForm = 209, Error, "immediate of the wrong sort",
        "Integer operands take integers; hexadecimal numbers have no sign; the bits of a floating-point number have as many hexadecimal digits as its format (spec 3.2).",
        "mov.32b %a, 1.0;",
        "mov.32b %a, 0x3F800000;";
    IndexRule = 210, Error, "element index out of place",
        "The index of `extract` and `insert` must lie in the vector; that of a part must be a multiple of its element count and the part lie wholly in the vector.",
        "extract.4.32b %a, %v;",
        "extract.3.32b %a, %v;";
    AddressForm = 211, Error, "address of a form that is not allowed",
        "An address is `[base]` or `[base + offset]`: the base a register or variable, the offset a register or a signed number (spec 3.3).",
        "ld.global.32b %a, [16];",
        "ld.global.32b %a, [%d + 16];";
    AddressWidth = 212, Error, "address of the wrong width",
        "Private and shared addresses have 32 bits, global, constant and generic ones 64 (spec 2.1).",
        "ld.global.32b %a, [%b];",
        "ld.global.32b %a, [%d];";
    SpaceMismatch = 213, Error, "variable of another address space",
        "A variable is accessed in the address space that it is declared in; the mnemonic names it (spec 2.1).",
        ".shared .align 4 @s[4];\n  ld.private.32b %a, [@s];",
        ".shared .align 4 @s[4];\n  ld.shared.32b %a, [@s];";
    OffsetRange = 214, Error, "offset that does not fit in 32 bits",
        "A constant offset is a signed 32-bit number.",
        "ld.global.32b %a, [%d + 2147483648];",
        "ld.global.32b %a, [%d + 2147483644];";
    ParameterBounds = 215, Error, "access outside a kernel parameter",
        "`ld.param` stays within the declared size of the parameter (spec 4.2).",
        "ld.param.64b %d, [%q + 4];",
        "ld.param.64b %d, [%q];";
    Misaligned = 216, Error, "misaligned access",
        "An address is a multiple of the element size, and below 32 bits of the whole access (spec 5.1).",
        ".private .align 4 @x[8];\n  ld.private.32b %a, [@x + 2];",
        ".private .align 4 @x[8];\n  ld.private.32b %a, [@x + 4];";
    ReadOnly = 217, Error, "special register as destination",
        "Special registers are read-only (spec 4).",
        "mov.32b %laneid, %a;",
        "mov.32b %a, %laneid;";
    InvalidSwizzle = 218, Error, "swizzle that is not available",
        "`.x .y .z .w` name the first four elements of a vector, `.xy .zw .xyzw` several of them in `mov` only. Special registers with three dimensions have `.x .y .z`, one at a time (spec 3.4, 4).",
        "mov.32b %a, %v.q;",
        "mov.32b %a, %v.w;";
    UnknownParameter = 219, Error, "unknown kernel parameter",
        "`ld.param` names a parameter of its own kernel. The arguments of a function are registers (spec 4.2).",
        "ld.param.64b %d, [%nothing];",
        "ld.param.64b %d, [%q];";
    Extension = 230, Warning, "instruction that is not in the specification",
        "LLVM prints `usubb`, `lifetime.start` and wide `ld.param`, which version 0.1 does not have. They are accepted and work.",
        "usubb.co.32b %a, %p0, %b, %c;",
        "isub.32b %a, %b, %c;";
    Alias = 231, Warning, "other spelling of an instruction",
        "Producers print some instructions in a spelling that the specification does not have. They are accepted.",
        "bfe.32b %a, %b, 8, 0;",
        "ubfe.32b %a, %b, 8, 0;";
    HexadecimalDigits = 232, Warning, "short hexadecimal floating-point number",
        "The bits of a floating-point number are written with all digits of its format, 4, 8 or 16, so that no one mistakes the format (spec 3.2).",
        "fadd.f %a, %b, 0x0;",
        "fadd.f %a, %b, 0x00000000;";
    InfiniteImmediate = 233, Warning, "immediate that becomes infinite",
        "A decimal floating-point number is rounded to the format of its operand; this one is beyond its range. Infinity is written in hexadecimal.",
        "fadd.f %a, %b, 1e39;",
        "fadd.f %a, %b, 0x7F800000;";
    ExtendedOffset = 234, Warning, "32-bit offset in a 64-bit address",
        "The offset register should have the width of the address; a 32-bit one is sign-extended.",
        "ld.global.32b %a, [%d + %b];",
        "ld.global.32b %a, [%d + %e];";
    ParameterPadding = 235, Warning, "access that ends behind a parameter",
        "LLVM reads 16 bits of a one-byte parameter. Up to the next multiple of four bytes zeros are read.",
        "ld.param.16b %h, [%t];",
        "ld.param.8b %o, [%t];";
    AtParameter = 236, Warning, "parameter written with `@`",
        "Parameters are written with `%`; one sentence of the specification has `@`.",
        "ld.param.64b %d, [@q];",
        "ld.param.64b %d, [%q];";
    WeakAlignment = 237, Warning, "variable aligned less than its access",
        "A variable is aligned to one byte unless `.align` says more, so this access may be misaligned (spec 2.4.1).",
        ".private @x[8];\n  st.private.32b [@x], %a;",
        ".private .align 4 @x[8];\n  st.private.32b [@x], %a;";
    SwizzledPart = 238, Warning, "swizzle in `extract` or `insert`",
        "The specification wants no swizzle on the operands of `extract` and `insert`; LLVM prints elements as their scalars, as everywhere (spec 4.4, 4.12).",
        "extract.1.32b %v.x, %v;",
        "extract.1.32b %a, %v;";
    UnknownRegister = 301, Error, "undeclared register",
        "A register is declared before its use, in the same scope or one around it (spec 2.2).",
        "mov.32b %a, %nothing;",
        ".reg .32b %nothing;\n  mov.32b %nothing, 1;\n  mov.32b %a, %nothing;";
    DuplicateName = 302, Error, "name declared more than once",
        "Kernels, functions and variables of a module share one name space. Within a scope a register or local variable is declared once; an inner scope may reuse its name (spec 2.5.2).",
        ".global @g[4];\n.const @g = { .32b 1 };",
        ".global @g[4];\n.const @h = { .32b 1 };";
    ReservedName = 303, Error, "register named like a special register",
        "The special registers are predefined everywhere (spec 4).",
        ".reg .32b %laneid;",
        ".reg .32b %lane;";
    InvalidRange = 304, Error, "invalid register range",
        "`%r<2~5>` declares `%r2`, `%r3` and `%r4`: two plain numbers, the second greater than the first (spec 2.2).",
        ".reg .32b %x<5~5>;",
        ".reg .32b %x<5~6>;";
    UnknownSymbol = 305, Error, "undeclared name",
        "Variables and functions used by a module are declared in it, with `.import` if they are defined elsewhere; the order does not matter (spec 2.5, 4.3).",
        "addrof.64b %d, @nothing;",
        ".private .align 4 @something[4];\n  addrof.32b %a, @something;";
    UnknownLabel = 306, Error, "unknown label",
        "A label of the same function must stand somewhere for `goto` to go there (spec 6.2).",
        "goto nowhere;",
        "goto here;\nhere:";
    DuplicateLabel = 307, Error, "label that stands twice",
        "Labels belong to the whole function, whatever the scope.",
        "here:\n  mov.32b %a, 1;\nhere:\n  goto here;",
        "here:\n  mov.32b %a, 1;\nthere:\n  goto there;";
    RegisterType = 308, Error, "type that registers cannot have",
        "Registers have 8, 16, 32, 64 or 128 bits; vectors 2, 3 or 4 elements of 8 to 64 bits, or 5 to 8, 16, 32, 64 elements of 32 bits. Predicates have no type (spec 2.2).",
        ".reg .f32 %x;",
        ".reg .32b %x;";
    VariableScope = 310, Error, "variable at the wrong place",
        "`.global` variables stand at module scope, `.private` and `.shared` ones inside kernels and functions, `.const` ones anywhere (spec 2.4).",
        ".shared @s[4];",
        ".global @s[4];";
    VariableSize = 311, Error, "invalid size of a variable",
        "A variable has a size in bytes in brackets, at least 1; it may be left out when initial values are given.",
        ".global @g[0];",
        ".global @g[1];";
    VariableType = 312, Error, "memory variable with a bit width",
        "The size of a memory variable is given in bytes; it has no type (spec 2.4).",
        ".private .16b @x[64];",
        ".private .align 2 @x[128];";
    InitializerSize = 313, Error, "initial values that do not fill the variable",
        "The bytes of the initial values must equal the size in brackets (spec 2.5.1).",
        ".global .align 4 @g[8] = { .32b 1 };",
        ".global .align 4 @g[8] = { .32b 1, .zero 4 };";
    InitializerMisplaced = 314, Error, "variable that cannot have initial values",
        "Only variables of global and constant memory that are defined here have initial values (spec 2.5).",
        ".import .global @g[4] = { .32b 1 };",
        ".import .global @g[4];";
    InitializerMissing = 315, Error, "constant without a value",
        "A `.const` variable needs initial values, as nothing can store to it (spec 2.5.1).",
        ".const @c[4];",
        ".const @c[4] = { .32b 7 };";
    InitializerItem = 316, Error, "invalid initial value",
        "An initial value is a width `.8b` to `.64b` and an integer, `.zero` and a number of bytes, or `.64b` and a symbol with an optional offset (spec 2.5.1).",
        ".const @c = { .32b 1.5 };",
        ".const @c = { .32b 0x3FC00000 };";
    InvalidAlignment = 318, Error, "invalid alignment",
        "An alignment is a power of two (spec 2.4.1), at most 65536.",
        ".global .align 3 @g[4];",
        ".global .align 4 @g[4];";
    UnknownAttribute = 320, Error, "attribute that does not belong here",
        "Variables of a module have `.align`, `.section` and `.host_access`, local ones `.align`; kernels `.reqd_work_group_size` and `.vec_type_hint`; parameters `.align`, `.addrspace` and `.ptr_align`.",
        ".global .packed @g[4];",
        ".global .align 4 @g[4];";
    RepeatedAttribute = 321, Error, "attribute given twice",
        "Each attribute stands once.",
        ".global .align 4 .align 8 @g[8];",
        ".global .align 8 @g[8];";
    AttributeValue = 322, Error, "invalid value of an attribute",
        "The value in parentheses is not what the attribute takes.",
        ".kernel .reqd_work_group_size(0, 1, 1) @k() { return; }",
        ".kernel .reqd_work_group_size(64, 1, 1) @k() { return; }";
    DuplicateHostName = 323, Error, "host name used twice",
        "`.host_access` names are unique in a module, and among modules that are linked, as the host finds variables by them.",
        ".global .host_access(\"n\") @g[4];\n.global .host_access(\"n\") @h[4];",
        ".global .host_access(\"n\") @g[4];\n.global .host_access(\"m\") @h[4];";
    ParameterSize = 325, Error, "invalid size of a kernel parameter",
        "A parameter has from 1 to 4096 bytes; a pointer to global or constant memory has 8, to shared memory 4.",
        ".kernel @k(.param[4] .addrspace(global) %x) { return; }",
        ".kernel @k(.param[8] .addrspace(global) %x) { return; }";
    ParameterBytes = 326, Error, "too many bytes of parameters",
        "All parameters of a kernel together take at most 4096 bytes.",
        ".kernel @k(.param[4096] %x, .param[8] %y) { return; }",
        ".kernel @k(.param[1024] %x, .param[8] %y) { return; }";
    KernelForm = 327, Error, "malformed kernel",
        "A kernel has no linkage and no result, and is always defined (spec 4.1).",
        ".export .kernel @k() { return; }",
        ".kernel @k() { return; }";
    FunctionForm = 328, Error, "malformed function",
        "A function says what it returns, `void` or a type. Defined ones have a body and named parameters, imported ones have no body (spec 4.3).",
        ".function @f() { return; }",
        ".function void @f() { return; }";
    PredicateValue = 329, Error, "predicate passed or returned",
        "Predicates are neither arguments nor results of functions (spec 4.4, 4.5).",
        ".function void @f(.pred %x) { return; }",
        ".function void @f(.reg .32b %x) { return; }";
    LossyInitializer = 340, Warning, "initial value that loses bits",
        "The value is truncated to its width (spec 2.5.1).",
        ".global @g = { .8b 256 };",
        ".global @g = { .8b 255 };";
    LargeAlignment = 341, Warning, "unusually large alignment",
        "Devices need not support alignments above 4096 bytes.",
        ".global .align 8192 @g[8];",
        ".global .align 16 @g[8];";
    IgnoredAttribute = 342, Warning, "attribute without effect",
        "Some producers print `.access(…)`, which the specification does not have.",
        ".kernel @k(.param[8] .access(readonly) %x) { return; }",
        ".kernel @k(.param[8] %x) { return; }";
    UnknownTypeHint = 343, Warning, "unknown type in `.vec_type_hint`",
        "The hint is a scalar or vector type of OpenCL C, such as `uint4`.",
        ".kernel .vec_type_hint(vec4) @k() { return; }",
        ".kernel .vec_type_hint(float4) @k() { return; }";
    SharedName = 344, Warning, "register named like a parameter",
        "LLVM prints kernels where a parameter and a register share a name; `ld.param` means the parameter.",
        ".kernel @k(.param[8] %x) {\n  .reg .32b %x;\n}",
        ".kernel @k(.param[8] %x) {\n  .reg .32b %y;\n}";
    MissingReg = 345, Warning, "parameter without `.reg`",
        "A parameter of a function is written `.reg .32b %a`; one example of the specification leaves `.reg` out.",
        ".function void @f(.32b %x) { return; }",
        ".function void @f(.reg .32b %x) { return; }";
    ManyParameterBytes = 346, Warning, "many bytes of parameters",
        "Devices need not accept more than 2048 bytes of parameters.",
        ".kernel @k(.param[2050] %x) { return; }",
        ".kernel @k(.param[2048] %x) { return; }";
    CallTarget = 401, Error, "call of something that is no function",
        "The target of a call, and what `addrof.64b` takes for one, is a function or a 64-bit register; kernels are started by the host only (spec 4.1).",
        ".kernel @k() {\n  call void, @k();\n}",
        ".function void @f() { return; }\n.kernel @k() {\n  call void, @f();\n}";
    CallForm = 402, Error, "malformed call",
        "A call has a result (a register or `void`), a target, and arguments in parentheses; `call.cond` has a condition first (spec 6.1).",
        ".function void @f() { return; }\n.kernel @k() {\n  call @f();\n}",
        ".function void @f() { return; }\n.kernel @k() {\n  call void, @f();\n}";
    ArgumentCount = 403, Error, "wrong number of arguments",
        "A call passes one argument for each parameter of the function (spec 4.4).",
        ".function void @f(.reg .32b %x) { return; }\n.kernel @k() {\n  call void, @f();\n}",
        ".function void @f() { return; }\n.kernel @k() {\n  call void, @f();\n}";
    ArgumentType = 404, Error, "argument of the wrong type",
        "An argument is a register of exactly the type of the parameter (spec 4.4).",
        ".function void @f(.reg .32b %x) { return; }\n.kernel @k() {\n  .reg .16b %h;\n  mov.16b %h, 1;\n  call void, @f(%h);\n}",
        ".function void @f(.reg .32b %x) { return; }\n.kernel @k() {\n  .reg .32b %r;\n  mov.32b %r, 1;\n  call void, @f(%r);\n}";
    ResultType = 405, Error, "result of the wrong type",
        "The register of the result has exactly the type that the function returns, and `void` stands for a function that returns nothing (spec 6.1).",
        ".function .32b @f() { return 1; }\n.kernel @k() {\n  call void, @f();\n}",
        ".function .32b @f() { return 1; }\n.kernel @k() {\n  .reg .32b %r;\n  call %r, @f();\n}";
    ReturnValue = 406, Error, "wrong value of a return",
        "`return` has a value of the type of the function, and none in kernels and void functions (spec 6.3).",
        ".function void @f() { return 1; }",
        ".function void @f() { return; }";
    MissingReturn = 407, Error, "valued function that can end without a value",
        "`return` with a value is the last instruction of a valued function (spec 4.5).",
        ".function .32b @f() {\n}",
        ".function .32b @f() {\n  return 1;\n}";
    ReturnNotLastStrict = 408, Error, "`return` that is not last (strict)",
        "`return` must be the last instruction of a valued function (spec 4.5). Without `--strict` this is a warning where the end cannot be reached.",
        ".function .32b @f() {\nagain:\n  goto again;\n}",
        ".function .32b @f() {\n  return 1;\n}";
    ReturnNotLast = 440, Warning, "`return` that is not last",
        "`return` must be the last instruction of a valued function (spec 4.5). It is tolerated where the end cannot be reached, as LLVM prints such functions.",
        ".function .32b @f() {\nagain:\n  goto again;\n}",
        ".function .32b @f() {\n  return 1;\n}";
    MissingVersion = 501, Error, "missing version",
        "`.version` is the first statement of a module (spec 6.1.1).",
        ".target 100;",
        ".version 0.1;\n.target 100;";
    UnknownVersion = 502, Error, "unknown version",
        "Known are version 0.1 and, as the same language, the 1.0 that LLVM prints.",
        ".version 7.0;\n.target 100;",
        ".version 0.1;\n.target 100;";
    UnknownTarget = 503, Error, "unknown target",
        "Known targets are 100, 100c and 100ca (spec 6.2).",
        ".version 0.1;\n.target 99;",
        ".version 0.1;\n.target 100;";
    HeaderOrder = 504, Error, "header out of order",
        "`.version` is the first and `.target` the second statement, each once (spec 6.1).",
        ".target 100;\n.version 0.1;",
        ".version 0.1;\n.target 100;";
    MissingTarget = 540, Warning, "missing target",
        "`.target` is the second statement of a module; without it 100 is assumed (spec 6.1.2). LLVM leaves it out of modules without functions.",
        ".version 0.1;",
        ".version 0.1;\n.target 100;";
    DuplicateSymbol = 601, Error, "symbol defined by several modules",
        "Kernels and whatever modules export share one name space: each name is defined by one of the linked modules (spec 2.5.2).",
        "",
        "";
    UnresolvedImport = 602, Error, "import that no module exports",
        "Every import must be exported by one of the linked modules; `--library` keeps the others.",
        "",
        "";
    ImportMismatch = 603, Error, "import that differs from its export",
        "An import has the kind, type and size of its export, and needs no more alignment than that has.",
        "",
        "";
    IncompatibleVersions = 604, Error, "modules of different versions or targets",
        "Linked modules have one major version and targets of which one executes the others (spec 6.1).",
        "",
        "";
    TargetLacks = 651, Error, "something that the target does not have",
        "A translated module needs a device with certain optional parts of OpenCL. `--target` names a version of OpenCL, `--device` a list of what a device has; the message names what is missing and the first instruction that needs it.",
        "",
        "";
    DeviceRecursion = 652, Error, "recursion, which the target does not have",
        "OpenCL has no recursion: a function must not be called while it runs, neither by itself nor by way of others or of an address.",
        "",
        "";
    Inexpressible = 653, Error, "something that the target cannot say",
        "Some of PISA has no form in the target, such as atomics of 128 bits in SPIR-V, or variables whose initial contents hold the addresses of one another.",
        "",
        "";
    DeviceDecides = 654, Warning, "result that the device decides",
        "PISA says where lanes that have parted come together again; OpenCL and the compilers for GPUs decide that themselves. Where sub-group operations stand behind such a place, but before all lanes are together, their results may differ between devices.",
        "",
        "";
    NotExported = 655, Warning, "function that is not exported",
        "A function that uses private or shared memory by address must be told by its caller where that memory is, so that functions of other modules cannot call it.",
        "",
        "";
}

impl Code {
    /// The wrong or right example as a whole module. Link errors, which take several modules, have none.
    ///
    /// An example that starts with a module-level directive is a module without its header; any other is the body
    /// of a kernel with a few registers.
    pub fn example_module(example: &str) -> String {
        const MODULE: [&str; 7] =
            [".kernel", ".function", ".global", ".const", ".import", ".export", ".shared @s[4]"];
        if example.starts_with(".version") || example.starts_with(".target") {
            return format!("{example}\n");
        }
        let header = ".version 0.1;\n.target 100;\n";
        if MODULE.iter().any(|start| example.starts_with(start)) {
            return format!("{header}{example}\n");
        }
        format!(
            "{header}.kernel @example(.param[8] %q, .param[1] %t) {{\n  .reg .8b %o;\n  .reg .16b %h, %g;\n  .reg .32b %a, %b, %c;\n  \
             .reg .64b %d, %e;\n  .reg .v4.32b %v;\n  .pred %p0;\n  {example}\n}}\n"
        )
    }
}
