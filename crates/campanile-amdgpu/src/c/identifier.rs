//! Names that C and C++ can write.

/// Words that name nothing, in C, in C++ or in headers of prototypes.
const RESERVED: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t \
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr \
    constinit continue decltype default delete do double dynamic_cast else enum explicit export extern \
    false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr \
    operator or or_eq private protected public register reinterpret_cast requires restrict return short \
    signed sizeof static static_assert static_cast struct switch template this thread_local throw true \
    try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t \
    while xor xor_eq global local constant generic kernel half uchar ushort uint ulong read_only \
    write_only read_write pipe uniform uint8_t uint16_t uint32_t uint64_t size_t main linux unix NULL \
    PISA_DEVICE pisa_8b pisa_16b int8_t int16_t int32_t int64_t wint_t ptrdiff_t intptr_t uintptr_t";

/// Whether C and C++ can write a name as it is.
pub(super) fn is_identifier(name: &str) -> bool {
    let starts = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    starts
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with("__")
        && !name.starts_with("pisa_v")
        && !RESERVED.split_ascii_whitespace().any(|word| word == name)
}

/// A name that C and C++ can write, much like this one.
pub(super) fn identifier(name: &str) -> String {
    let name = name.trim_start_matches('%');
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let plain: String = name.chars().map(plain).collect();
    let plain = plain.trim_start_matches('_');
    match plain.chars().next() {
        Some(first) if first.is_ascii_alphabetic() && is_identifier(plain) => plain.to_owned(),
        _ => format!("pisa_name_{plain}"),
    }
}
