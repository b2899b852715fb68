//! The table of codes: number, title, explanation, a wrong and a right example.

campanile_core::code_table! {
    /// A stable code of a finding about prototypes of C, shown as `H0123`. The wrong and right examples are texts of C; of codes
    /// above 200 prototypes of [`EXAMPLE_MODULE`]'s functions.
    'H'

    InvalidCharacter = 101, Error, "character that belongs to no token",
        "Prototypes are made of the tokens of C.",
        "int f(int @x);",
        "int f(int x);";
    Unclosed = 102, Error, "text or comment that is not closed",
        "A text in quotes ends on its line; a comment that begins with `/*` ends with `*/`.",
        "int f(int x); /* the first",
        "int f(int x); /* the first */";
    Directive = 103, Error, "directive that cannot be followed",
        "Conditions are computed with the macros of the file and those that tell the compiler and the language; each has its `#endif`. `#error` where it counts ends nothing, but is reported. Nothing is included.",
        "#ifdef __HIP__\nint f(int x);",
        "#ifdef __HIP__\nint f(int x);\n#endif";
    MacroParameters = 104, Error, "macro with parameters",
        "Macros without parameters are replaced. Those with parameters are not: give the text that they make, or let the compiler preprocess the file (`clang -E`).",
        "#define VECTOR(n) float __attribute__((ext_vector_type(n)))\nint f(VECTOR(4) x);",
        "typedef float vector __attribute__((ext_vector_type(4)));\nint f(vector x);";
    EndlessMacros = 105, Error, "macros that make too much",
        "A text whose macros make more than a million tokens is not read to its end.",
        "",
        "";
    PragmaPack = 106, Error, "`#pragma pack`",
        "It changes how structs lie in memory and so how they are passed. The attribute `packed` of the struct says the same and is read.",
        "#pragma pack(1)\nstruct S { char c; int i; };",
        "struct __attribute__((packed)) S { char c; int i; };";
    UnexpectedToken = 110, Error, "something else was expected",
        "The text is no declaration of C at this place; the message says what could stand there.",
        "int f(int x;",
        "int f(int x);";
    Unread = 111, Warning, "part of C++ that is not read",
        "Templates and namespaces declare nothing that C or PISA could call by a plain name. They are passed over, and so are functions whose result only their body says.",
        "namespace n { int f(int x); }",
        "extern \"C\" int f(int x);";
    TooDeep = 112, Error, "declaration that is too deep or too large",
        "Parentheses, types and records stand only so deep within one another, so that texts made of them end soon.",
        "struct S { char c[1ull << 60]; };",
        "struct S { char c[1ull << 20]; };";
    UnknownType = 120, Error, "unknown type",
        "Types are declared before they are used. Those of `stdint.h` and `stddef.h`, the vectors of HIP (in HIP) and those of OpenCL C (there) are known. Nothing is included.",
        "int f(uint32 x);",
        "int f(uint32_t x);";
    Specifiers = 121, Error, "words that make no type",
        "A declaration has one type, made of words that go together.",
        "int f(unsigned float x);",
        "int f(float x);";
    NotConstant = 122, Error, "no constant expression",
        "Lengths, widths and values of enumerators are computed while the text is read, of numbers, enumerators and sizes.",
        "struct S { int a[n]; };",
        "enum { n = 4 };\nstruct S { int a[n]; };";
    BitField = 123, Error, "invalid bit-field",
        "A bit-field is an integer, and has at most as many bits as its type.",
        "struct S { int a : 33; };",
        "struct S { int a : 31; };";
    AttributeValue = 124, Error, "attribute with a value that is not read",
        "Vectors have up to 1024 numbers, alignments are powers of two, and address spaces are those that AMD GPUs have.",
        "int f(int __attribute__((address_space(9))) *x);",
        "int f(int __attribute__((address_space(3))) *x);";
    NoSize = 125, Error, "type without a size",
        "What is passed by value, and every field, has a type that is declared to its end. Classes of C++ that have base classes, virtual functions, or a destructor or copy constructor of their own are not read.",
        "struct S { struct T t; };",
        "struct T { int a; };\nstruct S { struct T t; };";
    DuplicateType = 126, Error, "type declared twice",
        "The fields of a struct are given once.",
        "struct S { int a; };\nstruct S { int a; };",
        "struct S { int a; };";
    SharedPointer = 127, Warning, "`__shared__` at a parameter",
        "In HIP `__shared__` says where a variable lies. Clang accepts it at a pointer, which stays a flat pointer of 64 bits; PISA's pointers to shared memory have 32.",
        "int f(__shared__ int *x);",
        "int f(__attribute__((address_space(3))) int *x);";
    DifferentArguments = 201, Error, "arguments that lie elsewhere",
        "The arguments of prototype and function take other slots, or fill them otherwise: whoever calls would hand over other values than the function reads.",
        "extern \"C\" uint32_t scale(uint32_t x, float y);",
        "extern \"C\" uint32_t scale(uint32_t x, double y);";
    DifferentResult = 202, Error, "result that lies elsewhere",
        "The result of prototype and function takes other slots or fills them otherwise, or only one of them has one.",
        "extern \"C\" void scale(uint32_t x, double y);",
        "extern \"C\" uint32_t scale(uint32_t x, double y);";
    UpperBits = 203, Warning, "upper bits that are trusted",
        "Clang passes and returns narrow integers extended to 32 bits and trusts what it is handed. The upper bits of PISA's `.8b` and `.16b` are undefined, so code made by clang may see other values than PISA wrote. A struct with the one integer is not extended and not trusted.",
        "extern \"C\" uint8_t least(uint8_t x);",
        "struct byte { uint8_t value; };\nextern \"C\" struct byte least(uint8_t x);";
    MangledName = 204, Warning, "function of C++ without `extern \"C\"`",
        "The name of such a function stands in object files with its types (`_Z5scalejd`), so it is not the function of PISA that has the plain name.",
        "uint32_t scale(uint32_t x, double y);",
        "extern \"C\" uint32_t scale(uint32_t x, double y);";
    Variadic = 205, Error, "prototype with further arguments",
        "Behind `...` clang passes a hidden pointer to the further arguments. Functions of PISA have none.",
        "extern \"C\" uint32_t scale(uint32_t x, double y, ...);",
        "extern \"C\" uint32_t scale(uint32_t x, double y);";
    Kernel = 206, Error, "kernel and function of one name",
        "Kernels are started by the host and take their arguments from memory; functions are called.",
        "extern \"C\" __global__ void scale(uint32_t x, double y);",
        "extern \"C\" uint32_t scale(uint32_t x, double y);";
    Undeclared = 301, Warning, "function that no declaration of C can name",
        "Names that C cannot write stand in a header as labels. Quotes, backslashes and control characters cannot stand there either, so such a function is left out.",
        "",
        "";
}

/// The module that the examples of codes above 200 are held against.
pub const EXAMPLE_MODULE: &str = ".version 0.1;\n.target 100;\n\
    .export .function .32b @scale(.reg .32b %x, .reg .64b %y) { return %x; }\n\
    .export .function .8b @least(.reg .8b %x) { return %x; }\n";
