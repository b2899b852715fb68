//! `pisa` with OpenCL devices, and without any.

mod devices;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn pisa(words: &[&str], variables: &[(&str, &str)]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pisa"));
    command.args(words).current_dir(root).envs(variables.iter().copied()).output().expect("the built program")
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Sums of the first ten numbers, as a prefix sum has them.
const SCAN: [&str; 12] = [
    "run",
    "examples/scan.pisa",
    "--grid",
    "256",
    "--arg",
    "source=iota:u32[10]",
    "--arg",
    "destination=zeros:u32[10]",
    "--arg",
    "count=10u32",
    "--print",
    "destination",
];

#[test]
fn kernels_run_on_devices() {
    if !devices::available() {
        return;
    }
    let (status, results, messages) = told(&pisa(&[&SCAN[..], &["--device", "opencl"]].concat(), &[]));
    if messages.contains("cannot run on OpenCL device") {
        return;
    }
    assert_eq!(status, Some(0), "{messages}");
    assert_eq!(results, "destination: [ 0  1  3  6 10 15 21 28 36 45]\n");
    assert!(messages.contains("opencl engine"), "{messages}");
}

#[test]
fn plans_run_on_devices_as_elsewhere() {
    if !devices::available() {
        return;
    }
    let plan = |options: &[&str]| told(&pisa(&[&["run", "examples/heat/plan.toml"], options].concat(), &[]));
    let ((status, device, messages), (_, checked, _)) =
        (plan(&["--device", "opencl"]), plan(&["--engine", "checked"]));
    assert_eq!((status, device), (Some(0), checked), "{messages}");
}

#[test]
fn options_of_the_host_are_refused() {
    for (options, words) in [
        (&["--check", "race"][..], "cannot be checked for `race`"),
        (&["--cpu", "x86-64"], "`--cpu` is an option of the jit engine"),
        (&["--threads", "2"], "`--threads` is an option of the checked and the jit engine"),
        (&["--profile"], "`--profile` is an option of the checked and the jit engine"),
        (&["--engine", "jit"], "`--engine` for the host's own processor"),
        (&["--findings", "3"], "`--findings` is an option of the checked engine"),
    ] {
        let (status, _, messages) = told(&pisa(&[&SCAN[..], &["--device", "opencl"], options].concat(), &[]));
        assert_eq!(status, Some(2), "{messages}");
        assert!(messages.contains(words) && messages.contains("help: "), "{messages}");
    }
}

#[test]
fn unknown_devices_are_answered_with_those_there_are() {
    if !devices::available() {
        return;
    }
    let (status, _, messages) = told(&pisa(&[&SCAN[..], &["--device", "opencl:abacus"]].concat(), &[]));
    assert_eq!(status, Some(2));
    assert!(messages.contains("there is no OpenCL device `abacus`; the devices are `"), "{messages}");
}

#[test]
fn without_a_loader_it_says_what_was_looked_for() {
    // A file that is no library, so that none is found whatever the system has.
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libOpenCL.so.1");
    std::fs::write(&library, "no library").unwrap();
    let variables = [("LD_LIBRARY_PATH", folder.path().to_str().unwrap()), ("OPENCL_DYLIB_PATH", "none")];
    let (status, _, messages) = told(&pisa(&[&SCAN[..], &["--device", "opencl"]].concat(), &variables));
    assert_eq!(status, Some(2));
    assert!(
        messages.contains("there is no OpenCL: neither `none`, which OPENCL_DYLIB_PATH names, nor"),
        "{messages}"
    );
    assert!(messages.contains("help: install a loader"), "{messages}");
}

#[test]
fn without_a_runtime_there_are_no_devices() {
    if !devices::available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let variables = [("OCL_ICD_VENDORS", folder.path().to_str().unwrap())];
    let (status, _, messages) = told(&pisa(&[&SCAN[..], &["--device", "opencl"]].concat(), &variables));
    assert_eq!(status, Some(2));
    assert!(messages.contains("no runtime is registered with its loader"), "{messages}");
}

#[test]
fn the_doctor_tells_of_devices() {
    if !devices::available() {
        return;
    }
    let (_, object, _) = told(&pisa(&["doctor", "--message-format", "json"], &[]));
    let object: Value = serde_json::from_str(&object).unwrap();
    let platforms = object["opencl"]["platforms"].as_array().unwrap();
    let devices = platforms.iter().flat_map(|one| one["devices"].as_array().unwrap());
    let usable: Vec<&Value> = devices.filter(|one| one["obstacle"].is_null()).collect();
    assert!(usable[0]["spirv_versions"][0].is_string() && usable[0]["extensions"].is_array(), "{object}");
    let name = usable[0]["name"].as_str().unwrap();
    let (status, names, _) = told(&pisa(&["doctor", "--opencl-capabilities", name], &[]));
    assert_eq!(status, Some(0));
    let extension = usable[0]["extensions"][0].as_str().unwrap();
    assert!(
        names.starts_with(&format!("# {name}")) && names.lines().any(|line| line == extension),
        "{names}"
    );
}
