//! Compiled kernels from one run to the next.

use std::sync::{Arc, Barrier};
use std::{fs, thread};

use campanile_core::module::{FunctionId, Module};
use campanile_engine::Engine;

use super::{JitEngine, JitOptions, ONE_BUFFER, engine, line, lowered, module, run, words};
use crate::engine::ObjectCache;
use crate::llvm::Llvm;
use crate::lower::{Instrumentation, Lowered, Specialization, Target};
use crate::machine::{CodeLevel, TargetMachine};

fn seven(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    let ir = "
define void @sub(ptr %sub) {
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  store i32 7, ptr %out
  ret void
}";
    lowered(target, ir)
}

/// Runs the kernel on a new engine with this cache.
fn run_with(module: &Arc<Module>, cache: &ObjectCache) {
    let options = JitOptions { threads: Some(1), cache: Some(cache.clone()), ..JitOptions::default() };
    let mut engine = JitEngine::with_lowering(module.clone(), options, seven).unwrap();
    let out = engine.allocate(4).unwrap();
    run(&mut engine, module, &line(1, 1), Some(out), None).unwrap();
    assert_eq!(words(&mut engine, out, 1), [7]);
}

/// The only file of a cache.
fn only_entry(cache: &ObjectCache) -> std::path::PathBuf {
    let files: Vec<_> = fs::read_dir(cache.folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    file.clone()
}

/// A cache in a folder that does not exist yet; nothing where there is no LLVM.
fn cache(module: &Arc<Module>) -> Option<(tempfile::TempDir, ObjectCache)> {
    engine(module, 1, seven)?;
    let folder = tempfile::tempdir().unwrap();
    let cache = ObjectCache::in_folder(folder.path().join("made").join("anew"));
    Some((folder, cache))
}

#[test]
fn an_entry_is_used_again() {
    let module = module(ONE_BUFFER);
    let Some((_folder, cache)) = cache(&module) else { return };
    run_with(&module, &cache);
    let entry = only_entry(&cache);
    let (first, written) = (fs::read(&entry).unwrap(), fs::metadata(&entry).unwrap().modified().unwrap());
    run_with(&module, &cache);
    assert_eq!(only_entry(&cache), entry);
    assert_eq!(fs::read(&entry).unwrap(), first);
    assert_eq!(fs::metadata(&entry).unwrap().modified().unwrap(), written);
}

#[test]
fn a_damaged_entry_is_replaced() {
    let module = module(ONE_BUFFER);
    let Some((_folder, cache)) = cache(&module) else { return };
    run_with(&module, &cache);
    let entry = only_entry(&cache);
    let whole = fs::read(&entry).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let cut = &whole[..whole.len() - 1];
    let longer = [&whole[..], &[0]].concat();
    for damaged in [&flipped[..], cut, &longer, &whole[..20], b"another file", b""] {
        fs::write(&entry, damaged).unwrap();
        run_with(&module, &cache);
        assert_eq!(fs::read(&entry).unwrap(), whole);
    }
}

#[test]
fn engines_share_a_cache_at_the_same_time() {
    let module = module(ONE_BUFFER);
    let Some((_folder, cache)) = cache(&module) else { return };
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                run_with(&module, &cache);
            });
        }
    });
    only_entry(&cache);
    run_with(&module, &cache);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_fault() {
    let module = module(ONE_BUFFER);
    let Some((folder, _)) = cache(&module) else { return };
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    run_with(&module, &ObjectCache::in_folder(file.join("inside")));
}

#[test]
fn a_key_has_all_that_decides() {
    let Ok(llvm) = Llvm::load() else { return };
    let machine = TargetMachine::host(llvm).unwrap();
    let cache = ObjectCache::in_folder("anywhere");
    let (description, version) = (machine.description(), llvm.version());
    let key = cache.key(version, description, "default<O3>", "define void @f()");
    assert_eq!(key, cache.key(version, description, "default<O3>", "define void @f()"));
    let slower = machine.clone().with_level(CodeLevel::None);
    let others = [
        cache.key([0; 3], description, "default<O3>", "define void @f()"),
        cache.key(version, slower.description(), "default<O3>", "define void @f()"),
        cache.key(version, description, "default<O2>", "define void @f()"),
        cache.key(version, description, "default<O3>", "define void @g()"),
        // What one part has more, the other has less.
        cache.key(version, description, "default<O3>d", "efine void @f()"),
    ];
    assert!(others.iter().all(|other| *other != key));
}
