//! The processors that may be named.
//!
//! LLVM offers no list through its C interface, and takes a name it does not know for a processor that has nothing: on
//! x86-64 that is a fatal error, on AMDGPU code for no real processor. So names are checked here, for these two.

use crate::error::MachineError;

/// The processors of x86-64 in LLVM 22, without those of 32 bits.
const X86_64: &str = "
    alderlake amdfam10 arrowlake arrowlake-s athlon-fx athlon64 athlon64-sse3 atom barcelona bdver1
    bdver2 bdver3 bdver4 bonnell broadwell btver1 btver2 cannonlake cascadelake clearwaterforest
    cooperlake core-avx-i core-avx2 core2 corei7 corei7-avx diamondrapids emeraldrapids generic goldmont
    goldmont-plus gracemont grandridge graniterapids graniterapids-d haswell icelake-client
    icelake-server ivybridge k8 k8-sse3 knl knm lunarlake meteorlake nehalem nocona novalake opteron
    opteron-sse3 pantherlake penryn raptorlake rocketlake sandybridge sapphirerapids sierraforest
    silvermont skx skylake skylake-avx512 slm tigerlake tremont westmere wildcatlake x86-64 x86-64-v2
    x86-64-v3 x86-64-v4 znver1 znver2 znver3 znver4 znver5
";

/// The processors of AMDGPU in LLVM 22, without other names of the same.
const AMDGPU: &str = "
    generic generic-hsa gfx10-1-generic gfx10-3-generic gfx1010 gfx1011 gfx1012 gfx1013 gfx1030 gfx1031
    gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 gfx11-generic gfx1100 gfx1101 gfx1102 gfx1103 gfx1150
    gfx1151 gfx1152 gfx1153 gfx12-generic gfx1200 gfx1201 gfx1250 gfx1251 gfx600 gfx601 gfx602 gfx700
    gfx701 gfx702 gfx703 gfx704 gfx705 gfx801 gfx802 gfx803 gfx805 gfx810 gfx9-4-generic gfx9-generic
    gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx942 gfx950
";

/// Those of them that LLVM 18 does not have, by the version that brought them.
const LATER: [(u32, &str); 4] = [
    (19, "znver5 gfx1152 gfx9-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic"),
    (20, "diamondrapids gfx1153 gfx950 gfx9-4-generic"),
    (21, "gfx1250"),
    (22, "novalake wildcatlake gfx1251"),
];

/// The levels of x86-64, what each has as far as lowering asks for it, and the processors that have all of it, but not of the
/// next one. Atomic accesses to 16 bytes are in all processors of the architecture but its very first ones.
const LEVELS: [(&str, &str, &str); 4] = [
    ("x86-64", "+cx16", ""),
    (
        "x86-64-v2",
        "+cx16,+sse4.1",
        "bdver1 bdver2 bdver3 btver2 core-avx-i corei7 corei7-avx goldmont goldmont-plus ivybridge nehalem sandybridge \
         silvermont slm tremont westmere",
    ),
    (
        "x86-64-v3",
        "+cx16,+sse4.1,+f16c,+fma,+avx2",
        "alderlake arrowlake arrowlake-s bdver4 broadwell clearwaterforest core-avx2 gracemont grandridge haswell knl knm \
         lunarlake meteorlake pantherlake raptorlake sierraforest skylake wildcatlake znver1 znver2 znver3",
    ),
    (
        "x86-64-v4",
        "+cx16,+sse4.1,+f16c,+fma,+avx2,+avx512f,+avx512bw,+avx512dq,+avx512vl",
        "cannonlake cascadelake cooperlake diamondrapids emeraldrapids graniterapids graniterapids-d icelake-client \
         icelake-server novalake rocketlake sapphirerapids skx skylake-avx512 tigerlake znver4 znver5",
    ),
];

/// What a processor of x86-64 has, as far as lowering asks for it and its level says; nothing of one that is below the second
/// level or of another architecture.
pub fn features(cpu: &str) -> &'static str {
    let has = |(level, _, names): &&(&str, &str, &str)| {
        *level == cpu || names.split_whitespace().any(|name| name == cpu)
    };
    LEVELS.iter().find(has).map_or("", |(_, features, _)| features)
}

/// Whether a target has a processor in this version of LLVM; an empty name is the target's most general. Of targets other
/// than these two, any name is taken.
pub fn check(major: u32, triple: &str, cpu: &str) -> Result<(), MachineError> {
    let known = match triple.split('-').next() {
        Some("x86_64") => X86_64,
        Some("amdgcn") => AMDGPU,
        _ => return Ok(()),
    };
    let named = |names: &str| names.split_whitespace().any(|name| name == cpu);
    if let Some((since, _)) = LATER.iter().find(|(since, names)| major < *since && named(names)) {
        return Err(MachineError::NewerCpu { cpu: cpu.to_owned(), since: *since, major });
    }
    if cpu.is_empty() || named(known) {
        return Ok(());
    }
    Err(MachineError::Cpu { triple: triple.to_owned(), cpu: cpu.to_owned(), nearest: nearest(known, cpu) })
}

/// The name that begins most like this one, if at least half of it does.
fn nearest(known: &'static str, cpu: &str) -> Option<&'static str> {
    let shared = |name: &str| name.bytes().zip(cpu.bytes()).take_while(|(left, right)| left == right).count();
    let best = known.split_whitespace().max_by_key(|name| (shared(name), std::cmp::Reverse(name.len())))?;
    (2 * shared(best) >= cpu.len()).then_some(best)
}

#[cfg(test)]
mod tests;
