//! Variables of the module.

use campanile_engine::{Engine, function_address};

use super::{checked, engine, module};
use crate::lower::lower_specialized;

const VARIABLES: &str = ".version 0.1;
.target 100;
.global .align 4 @numbers[8] = { .32b 7, .32b 8 };
.const .align 64 .host_access(\"table\") @t[16] = { .64b @numbers + 4, .64b @f };
.global .align 8 @empty[8];
.function void @f() { return; }
.kernel @k () { return; }
";

#[test]
fn variables_begin_with_their_initial_contents() {
    let module = module(VARIABLES);
    let Some(mut engine) = engine(&module, 1, lower_specialized) else { return };
    let mut checked = checked(&module);
    assert_eq!(engine.read_variable("numbers").unwrap(), [7, 0, 0, 0, 8, 0, 0, 0]);
    assert_eq!(engine.read_variable("empty").unwrap(), [0; 8]);
    let table = engine.read_variable("table").unwrap();
    let (words, _) = table.as_chunks();
    let [numbers, function] = [0, 1].map(|index| u64::from_le_bytes(words[index]));
    assert_eq!(numbers, engine.memory.variable_addresses()[0] + 4);
    assert_eq!(engine.memory.variable_addresses()[1] % 64, 0);
    let f = module.functions.iter().find(|(_, one)| one.name == "f").unwrap().0;
    assert_eq!(function, function_address(f));
    engine.write_variable("numbers", &[9]).unwrap();
    assert_eq!(engine.read_variable("numbers").unwrap(), [9, 0, 0, 0, 8, 0, 0, 0]);
    for name in ["nothing", "f"] {
        assert_eq!(engine.read_variable(name), checked.read_variable(name));
    }
    assert_eq!(engine.write_variable("table", &[0; 17]), checked.write_variable("table", &[0; 17]));
}
