//! The table of codes: number, title, explanation, a wrong and a right example.

campanile_core::code_table! {
    /// A stable code of a finding about a SPIR-V module, shown as `S0123`. [`super::example_module`] makes a module of an example.
    'S'

    NotSpirv = 101, Error, "file that is no SPIR-V module",
        "A binary module begins with a header of five words, the first of which is 0x07230203. Anything else is read as text for `spirv-as`, if it is text.",
        "",
        "";
    Truncated = 102, Error, "module that is cut off",
        "A module is a series of whole instructions: the first word of each says how many words it has, at least one.",
        "",
        "";
    UnknownInstruction = 103, Error, "unknown instruction",
        "No instruction of SPIR-V 1.6 or of a registered extension has this number.",
        "",
        "";
    MalformedInstruction = 104, Error, "instruction with wrong operands",
        "Each instruction has the operands that the grammar of SPIR-V lists for it, and each word of a set is one that the set has.",
        "",
        "";
    AssemblyFault = 105, Error, "text that is not assembled",
        "Text is assembled by `spirv-as` before it is checked; the message is what that says.",
        "",
        "";
    InvalidId = 106, Error, "id that is out of bounds or defined twice",
        "Ids are greater than 0 and less than the bound in the header, and each is the result of one instruction only (SPIR-V 2.16.1).",
        "%file = OpString \"a.cl\"\n%file = OpString \"b.cl\"",
        "%file = OpString \"a.cl\"\n%other = OpString \"b.cl\"";
    MissingDefinition = 107, Error, "id without the definition that is needed",
        "A variable has a pointer type, whose parts are defined; an entry point names a function that has a body.",
        "OpEntryPoint Kernel %uint \"example\"",
        "OpEntryPoint Kernel %kernel \"example\"";
    SwappedWords = 140, Warning, "words in the other byte order",
        "`clCreateProgramWithIL` takes words in the byte order of the host (OpenCL SPIR-V Environment, Common Properties). The module has been checked as if its bytes were swapped.",
        "",
        "";
    UnknownVersion = 141, Warning, "unknown version of SPIR-V",
        "Known are the versions 1.0 to 1.6.",
        "",
        "";
    TooLarge = 142, Warning, "module that is too large to check all of it",
        "Of the decorations with BuiltIn, the first 65536 are checked, and interfaces as far as ten million ways from kernels to functions lead. Modules of compilers have some dozens of either.",
        "",
        "";
    AddressingModel = 201, Error, "addressing model that is not physical",
        "The addressing model is Physical32 on devices with 32-bit addresses and Physical64 on devices with 64-bit addresses (OpenCL SPIR-V Environment, Validation Rules).",
        "OpMemoryModel Logical OpenCL",
        "OpMemoryModel Physical64 OpenCL";
    MemoryModel = 202, Error, "memory model that is not OpenCL's",
        "The memory model is OpenCL (OpenCL SPIR-V Environment, Validation Rules).",
        "OpMemoryModel Physical64 Simple",
        "OpMemoryModel Physical64 OpenCL";
    ExecutionModel = 203, Error, "entry point that is no kernel",
        "The execution model of every entry point is Kernel (OpenCL SPIR-V Environment, Validation Rules).",
        "OpEntryPoint GLCompute %kernel \"example\"",
        "OpEntryPoint Kernel %kernel \"example\"";
    SignedInteger = 204, Error, "integer type with signedness",
        "The signedness of every OpTypeInt is 0: instructions decide how they read an integer, types do not (OpenCL SPIR-V Environment, Validation Rules).",
        "%int = OpTypeInt 32 1",
        "%char = OpTypeInt 8 0";
    TypeSize = 205, Error, "scalar or vector type of a size that OpenCL does not have",
        "Integers have 8, 16, 32 or 64 bits, floating-point numbers 16, 32 or 64, vectors 2, 3, 4, 8 or 16 components (OpenCL SPIR-V Environment, Supported Types). Modules that declare an extension for other sizes are left alone.",
        "%five = OpTypeVector %float 5",
        "%two = OpTypeVector %float 2";
    ImageType = 206, Error, "image type that OpenCL does not have",
        "An OpTypeImage has the sampled type void, is single-sampled, leaves it to the host whether there is a sampler (0), has the format Unknown and an access qualifier; only 1D and 2D images are arrayed (OpenCL SPIR-V Environment, Validation Rules).",
        "%image = OpTypeImage %void 2D 0 0 0 0 Rgba8 ReadOnly",
        "%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly";
    RequiredCapability = 207, Error, "capability that is not declared",
        "Physical addressing models need the capability Addresses, kernels and the OpenCL memory model need Kernel (SPIR-V 3.3, 3.4, 3.5).",
        "OpCapability Kernel",
        "OpCapability Kernel\nOpCapability Addresses";
    VariableStorageClass = 208, Error, "variable in a storage class of shaders",
        "Storage classes such as Private, Uniform, Output and StorageBuffer need the capability Shader, which OpenCL does not have. Variables of modules lie in UniformConstant, CrossWorkgroup, Workgroup or Input, those of functions in Function.",
        "%place = OpTypePointer Private %uint\n%variable = OpVariable %place Private",
        "%place = OpTypePointer CrossWorkgroup %uint\n%zero = OpConstant %uint 0\n%variable = OpVariable %place CrossWorkgroup %zero";
    AtomicType = 209, Error, "atomic on a type that OpenCL does not have it for",
        "Atomics work on 32-bit integers, and on 64-bit ones where the capability Int64Atomics is declared (OpenCL SPIR-V Environment, Validation Rules, and `cl_khr_int64_base_atomics`).",
        "%ushort = OpTypeInt 16 0\n%place = OpTypePointer CrossWorkgroup %ushort\n%takes = OpTypeFunction %void %place\n%one = OpConstant %uint 1\n%zero = OpConstant %uint 0\n%value = OpConstant %ushort 1\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%old = OpAtomicIAdd %ushort %numbers %one %zero %value\nOpReturn\nOpFunctionEnd",
        "%place = OpTypePointer CrossWorkgroup %uint\n%takes = OpTypeFunction %void %place\n%one = OpConstant %uint 1\n%zero = OpConstant %uint 0\n%value = OpConstant %uint 1\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%old = OpAtomicIAdd %uint %numbers %one %zero %value\nOpReturn\nOpFunctionEnd";
    AtomicPointer = 210, Error, "atomic in a storage class that OpenCL does not have it for",
        "Atomics work in Function, Workgroup and CrossWorkgroup, and in Generic where the capability GenericPointer is declared (OpenCL SPIR-V Environment, Validation Rules).",
        "%place = OpTypePointer UniformConstant %uint\n%takes = OpTypeFunction %void %place\n%one = OpConstant %uint 1\n%zero = OpConstant %uint 0\n%value = OpConstant %uint 1\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%old = OpAtomicIAdd %uint %numbers %one %zero %value\nOpReturn\nOpFunctionEnd",
        "%place = OpTypePointer Workgroup %uint\n%takes = OpTypeFunction %void %place\n%one = OpConstant %uint 1\n%zero = OpConstant %uint 0\n%value = OpConstant %uint 1\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%old = OpAtomicIAdd %uint %numbers %one %zero %value\nOpReturn\nOpFunctionEnd";
    InvalidScope = 211, Error, "scope that OpenCL does not have",
        "What work-items execute together has the scope Workgroup or Subgroup, copies between memories only Workgroup. Memory has the scopes CrossDevice, Device, Workgroup and Subgroup, in barriers also Invocation (OpenCL SPIR-V Environment, Validation Rules). Scopes that are no constants are not looked at.",
        "%device = OpConstant %uint 1\n%order = OpConstant %uint 272\n%kernel = OpFunction %void None %signature\n%entry = OpLabel\nOpControlBarrier %device %device %order\nOpReturn\nOpFunctionEnd",
        "%group = OpConstant %uint 2\n%order = OpConstant %uint 272\n%kernel = OpFunction %void None %signature\n%entry = OpLabel\nOpControlBarrier %group %group %order\nOpReturn\nOpFunctionEnd";
    ImageOffset = 212, Error, "image access with a constant offset",
        "Reads and writes of images have no operand ConstOffset (OpenCL SPIR-V Environment, Validation Rules).",
        "%place = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n%takes = OpTypeFunction %void %place\n%v2uint = OpTypeVector %uint 2\n%zero = OpConstantNull %v2uint\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%texel = OpImageRead %v4uint %numbers %zero ConstOffset %zero\nOpReturn\nOpFunctionEnd",
        "%place = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n%takes = OpTypeFunction %void %place\n%v2uint = OpTypeVector %uint 2\n%zero = OpConstantNull %v2uint\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%texel = OpImageRead %v4uint %numbers %zero\nOpReturn\nOpFunctionEnd";
    AtomicFloat = 240, Warning, "atomic load, store or exchange of a floating-point number",
        "The environment has atomics on integers only. OpenCL C has `atomic_xchg` on `float` and `atomic_load` and `atomic_store` on `atomic_float`, and translators write them as they stand.",
        "%place = OpTypePointer CrossWorkgroup %float\n%takes = OpTypeFunction %void %place\n%one = OpConstant %uint 1\n%zero = OpConstant %uint 0\n%value = OpConstant %float 1\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%old = OpAtomicExchange %float %numbers %one %zero %value\nOpReturn\nOpFunctionEnd",
        "%place = OpTypePointer CrossWorkgroup %uint\n%takes = OpTypeFunction %void %place\n%one = OpConstant %uint 1\n%zero = OpConstant %uint 0\n%value = OpConstant %uint 1\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\n%old = OpAtomicExchange %uint %numbers %one %zero %value\nOpReturn\nOpFunctionEnd";
    BuiltInWidth = 301, Error, "built-in variable of the wrong width",
        "What OpenCL C has as `size_t` is as wide as the addresses of the module: 32 bits under Physical32, 64 under Physical64. Sizes and masks of sub-groups and the number of dimensions have 32 bits under both (OpenCL SPIR-V Environment, Built-in Variables). `spirv-val` does not look at this. Runtimes put functions of their own in place of the variable, which return `size_t`: with another width, some compute wrong indices (pocl issue 1796), and Intel's compiler aborts (intel-graphics-compiler issues 395 and 442).",
        "OpDecorate %id BuiltIn GlobalInvocationId\n%place = OpTypePointer Input %v3uint\n%id = OpVariable %place Input",
        "OpDecorate %id BuiltIn GlobalInvocationId\n%place = OpTypePointer Input %v3ulong\n%id = OpVariable %place Input";
    BuiltInComponents = 302, Error, "built-in variable with the wrong number of components",
        "Built-in variables with a value for each dimension are vectors of 3 components, masks of sub-groups vectors of 4, all others scalars (OpenCL SPIR-V Environment, Built-in Variables).",
        "OpDecorate %id BuiltIn LocalInvocationId\n%v2ulong = OpTypeVector %ulong 2\n%place = OpTypePointer Input %v2ulong\n%id = OpVariable %place Input",
        "OpDecorate %id BuiltIn LocalInvocationId\n%place = OpTypePointer Input %v3ulong\n%id = OpVariable %place Input";
    BuiltInKind = 303, Error, "built-in variable that is not made of integers",
        "All built-in variables of OpenCL are integers or vectors of integers (OpenCL SPIR-V Environment, Built-in Variables).",
        "OpDecorate %dimensions BuiltIn WorkDim\n%place = OpTypePointer Input %float\n%dimensions = OpVariable %place Input",
        "OpDecorate %dimensions BuiltIn WorkDim\n%place = OpTypePointer Input %uint\n%dimensions = OpVariable %place Input";
    BuiltInSignedness = 304, Error, "built-in variable with signedness",
        "The integers of built-in variables, like all integers in OpenCL, are declared with signedness 0 (OpenCL SPIR-V Environment, Validation Rules).",
        "OpDecorate %dimensions BuiltIn WorkDim\n%int = OpTypeInt 32 1\n%place = OpTypePointer Input %int\n%dimensions = OpVariable %place Input",
        "OpDecorate %dimensions BuiltIn WorkDim\n%place = OpTypePointer Input %uint\n%dimensions = OpVariable %place Input";
    BuiltInStorageClass = 305, Error, "built-in variable outside of Input",
        "All built-in variables are in the storage class Input (OpenCL SPIR-V Environment, Built-in Variables).",
        "OpDecorate %size BuiltIn GlobalSize\n%place = OpTypePointer CrossWorkgroup %v3ulong\n%size = OpVariable %place CrossWorkgroup",
        "OpDecorate %size BuiltIn GlobalSize\n%place = OpTypePointer Input %v3ulong\n%size = OpVariable %place Input";
    BuiltInCapability = 306, Error, "built-in variable that no capability provides",
        "Most built-in variables come with a capability, which the module declares or which another one implies: Kernel, for sub-groups also GroupNonUniform, for masks GroupNonUniformBallot or SubgroupBallotKHR (SPIR-V, BuiltIn).",
        "OpDecorate %mask BuiltIn SubgroupEqMask\n%place = OpTypePointer Input %v4uint\n%mask = OpVariable %place Input",
        "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\nOpDecorate %mask BuiltIn SubgroupEqMask\n%place = OpTypePointer Input %v4uint\n%mask = OpVariable %place Input";
    CapabilityOutOfReach = 307, Error, "capability that needs an extension or a newer version",
        "SubgroupBallotKHR belongs to the extension SPV_KHR_shader_ballot, which the module declares too; GroupNonUniform and GroupNonUniformBallot exist since SPIR-V 1.3.",
        "OpCapability SubgroupBallotKHR\nOpDecorate %mask BuiltIn SubgroupLtMask\n%place = OpTypePointer Input %v4uint\n%mask = OpVariable %place Input",
        "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\nOpDecorate %mask BuiltIn SubgroupLtMask\n%place = OpTypePointer Input %v4uint\n%mask = OpVariable %place Input";
    BuiltInInterface = 308, Error, "built-in variable that is missing in an interface",
        "OpEntryPoint lists every variable in Input that the kernel, or a function that it calls, uses; since SPIR-V 1.4 also those elsewhere (SPIR-V, OpEntryPoint).",
        "OpEntryPoint Kernel %kernel \"example\"\nOpDecorate %id BuiltIn GlobalLinearId\n%place = OpTypePointer Input %ulong\n%id = OpVariable %place Input\n%kernel = OpFunction %void None %signature\n%entry = OpLabel\n%value = OpLoad %ulong %id\nOpReturn\nOpFunctionEnd",
        "OpEntryPoint Kernel %kernel \"example\" %id\nOpDecorate %id BuiltIn GlobalLinearId\n%place = OpTypePointer Input %ulong\n%id = OpVariable %place Input\n%kernel = OpFunction %void None %signature\n%entry = OpLabel\n%value = OpLoad %ulong %id\nOpReturn\nOpFunctionEnd";
    BuiltInUnknown = 309, Error, "built-in that OpenCL does not have",
        "The built-in variables of OpenCL are those of the table in docs/spirv-built-ins.md; others belong to shaders.",
        "OpDecorate %place BuiltIn FragCoord\n%pointer = OpTypePointer Input %float\n%place = OpVariable %pointer Input",
        "OpDecorate %place BuiltIn GlobalOffset\n%pointer = OpTypePointer Input %v3ulong\n%place = OpVariable %pointer Input";
    BuiltInTarget = 310, Error, "BuiltIn on something that is no variable",
        "In OpenCL a built-in is a variable of its own: neither a member of a structure nor a constant (OpenCL SPIR-V Environment, Built-in Variables).",
        "OpMemberDecorate %record 0 BuiltIn WorkDim\n%record = OpTypeStruct %uint",
        "OpDecorate %dimensions BuiltIn WorkDim\n%place = OpTypePointer Input %uint\n%dimensions = OpVariable %place Input";
    BuiltInImported = 340, Warning, "built-in variable in UniformConstant that is imported",
        "Before the storage class was settled (OpenCL-Docs pull request 278), translators put built-in variables into UniformConstant and gave them import linkage. Runtimes still take such modules, as many are around.",
        "OpDecorate %id BuiltIn GlobalInvocationId\nOpDecorate %id LinkageAttributes \"__spirv_BuiltInGlobalInvocationId\" Import\n%place = OpTypePointer UniformConstant %v3ulong\n%id = OpVariable %place UniformConstant",
        "OpDecorate %id BuiltIn GlobalInvocationId\n%place = OpTypePointer Input %v3ulong\n%id = OpVariable %place Input";
    BuiltInScalar = 341, Warning, "scalar in place of a vector of three",
        "Some producers declare a scalar where kernels have one dimension only. That was left open once (OpenCL-Docs issue 279) and works where a runtime takes the first component, but the environment asks for a vector of 3 components.",
        "OpDecorate %id BuiltIn GlobalInvocationId\n%place = OpTypePointer Input %ulong\n%id = OpVariable %place Input",
        "OpDecorate %id BuiltIn GlobalInvocationId\n%place = OpTypePointer Input %v3ulong\n%id = OpVariable %place Input";
    BuiltInExtension = 342, Warning, "built-in of an extension",
        "The built-in is of an extension that the environment specification says nothing of, so nothing is known of its type.",
        "OpCapability ShaderSMBuiltinsNV\nOpExtension \"SPV_NV_shader_sm_builtins\"\nOpDecorate %count BuiltIn SMCountNV\n%place = OpTypePointer Input %uint\n%count = OpVariable %place Input",
        "OpDecorate %count BuiltIn NumSubgroups\n%place = OpTypePointer Input %uint\n%count = OpVariable %place Input";
    KernelResult = 401, Error, "kernel that returns a value",
        "The result type of a kernel is OpTypeVoid (OpenCL SPIR-V Environment, Kernel Return Types).",
        "%number = OpTypeFunction %uint\n%zero = OpConstant %uint 0\n%kernel = OpFunction %uint None %number\n%entry = OpLabel\nOpReturnValue %zero\nOpFunctionEnd",
        "%kernel = OpFunction %void None %signature\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    ArgumentType = 402, Error, "kernel argument of a type that the host cannot pass",
        "Arguments of kernels are integers, floating-point numbers, vectors of these, structures, pointers, samplers, images, pipes and queues (OpenCL SPIR-V Environment, Kernel Arguments). A Boolean has no size that `clSetKernelArg` could know.",
        "%takes = OpTypeFunction %void %bool\n%kernel = OpFunction %void None %takes\n%flag = OpFunctionParameter %bool\n%entry = OpLabel\nOpReturn\nOpFunctionEnd",
        "%takes = OpTypeFunction %void %uint\n%kernel = OpFunction %void None %takes\n%flag = OpFunctionParameter %uint\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    ArgumentStorageClass = 403, Error, "kernel argument that points into the wrong storage class",
        "Pointers among the arguments of kernels point into CrossWorkgroup, Workgroup or UniformConstant (OpenCL SPIR-V Environment, Kernel Arguments): the host has no other memory to pass.",
        "OpCapability GenericPointer\n%place = OpTypePointer Generic %uint\n%takes = OpTypeFunction %void %place\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\nOpReturn\nOpFunctionEnd",
        "%place = OpTypePointer CrossWorkgroup %uint\n%takes = OpTypeFunction %void %place\n%kernel = OpFunction %void None %takes\n%numbers = OpFunctionParameter %place\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    ArgumentMember = 404, Error, "kernel argument with a member that the host cannot pass",
        "Structures among the arguments of kernels are made of integers, floating-point numbers, vectors of these, pointers and such structures (OpenCL SPIR-V Environment, Kernel Arguments).",
        "%record = OpTypeStruct %uint %bool\n%takes = OpTypeFunction %void %record\n%kernel = OpFunction %void None %takes\n%options = OpFunctionParameter %record\n%entry = OpLabel\nOpReturn\nOpFunctionEnd",
        "%record = OpTypeStruct %uint %uint\n%takes = OpTypeFunction %void %record\n%kernel = OpFunction %void None %takes\n%options = OpFunctionParameter %record\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    KernelCalled = 405, Error, "kernel that is called",
        "A function that OpEntryPoint names is not called by another one (SPIR-V 2.16.1); producers put what both need into a function of its own.",
        "%other = OpFunction %void None %signature\n%begin = OpLabel\n%nothing = OpFunctionCall %void %kernel\nOpReturn\nOpFunctionEnd",
        "%other = OpFunction %void None %signature\n%begin = OpLabel\nOpReturn\nOpFunctionEnd";
    KernelName = 406, Error, "two kernels of one name",
        "No two entry points have the same execution model and the same name (SPIR-V 2.16.1), as the host finds kernels by name.",
        "OpEntryPoint Kernel %kernel \"example\"\nOpEntryPoint Kernel %kernel \"example\"",
        "OpEntryPoint Kernel %kernel \"example\"\nOpEntryPoint Kernel %kernel \"other\"";
    Recursion = 407, Error, "recursion",
        "Recursion is not supported: the calls that begin at an entry point form no cycle (OpenCL SPIR-V Environment, Validation Rules).",
        "%other = OpFunction %void None %signature\n%begin = OpLabel\n%nothing = OpFunctionCall %void %other\nOpReturn\nOpFunctionEnd\n%kernel = OpFunction %void None %signature\n%entry = OpLabel\n%none = OpFunctionCall %void %other\nOpReturn\nOpFunctionEnd",
        "%other = OpFunction %void None %signature\n%begin = OpLabel\nOpReturn\nOpFunctionEnd\n%kernel = OpFunction %void None %signature\n%entry = OpLabel\n%none = OpFunctionCall %void %other\nOpReturn\nOpFunctionEnd";
    ArgumentByValue = 440, Warning, "structure passed through a pointer",
        "Translators from LLVM write a structure that is passed by value as a pointer into Function with the attribute ByVal. The environment lists no such pointers; runtimes that read the output of these translators take them.",
        "OpDecorate %options FuncParamAttr ByVal\n%record = OpTypeStruct %uint %uint\n%place = OpTypePointer Function %record\n%takes = OpTypeFunction %void %place\n%kernel = OpFunction %void None %takes\n%options = OpFunctionParameter %place\n%entry = OpLabel\nOpReturn\nOpFunctionEnd",
        "%record = OpTypeStruct %uint %uint\n%takes = OpTypeFunction %void %record\n%kernel = OpFunction %void None %takes\n%options = OpFunctionParameter %record\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    ArgumentArray = 441, Warning, "kernel argument with an array inside",
        "The environment lists no arrays among the members of structures that are passed to kernels. OpenCL C has them, and runtimes lay them out as C does.",
        "%three = OpConstant %uint 3\n%row = OpTypeArray %uint %three\n%record = OpTypeStruct %row\n%takes = OpTypeFunction %void %record\n%kernel = OpFunction %void None %takes\n%options = OpFunctionParameter %record\n%entry = OpLabel\nOpReturn\nOpFunctionEnd",
        "%record = OpTypeStruct %uint %uint %uint\n%takes = OpTypeFunction %void %record\n%kernel = OpFunction %void None %takes\n%options = OpFunctionParameter %record\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
}
