//! Extents: how they are read, written and evaluated, and what they may use.

mod support;

use std::borrow::Cow;

use campanile_contract::extent::{Arguments, EvaluationFault};
use campanile_contract::layout::Limits;
use campanile_contract::{Extent, FinalizeFault, InterfaceFile, Policy, finalize, finalize_for, stub};
use support::{layout, step};

/// A launch with n = 7, u of 3 x 5, and two cells with k = 10 and 11 and q of 3 x 2 and 1 x 4.
struct Seven;

impl Arguments for Seven {
    fn scalar(&self, name: &str) -> Option<i64> {
        (name == "n").then_some(7)
    }

    fn shape(&self, name: &str) -> Option<Cow<'_, [i64]>> {
        match name {
            "u" => Some(Cow::Owned(vec![3, 5])),
            "cells" => Some(Cow::Owned(vec![2])),
            _ => None,
        }
    }

    fn field(&self, of: &str, index: u64, name: &str) -> Option<i64> {
        (of.starts_with("cell") && name == "k").then_some(10 + index as i64)
    }

    fn component_shape(&self, of: &str, index: u64, name: &str) -> Option<Cow<'_, [i64]>> {
        let shape = if index == 0 { vec![3, 2] } else { vec![1, 4] };
        (of.starts_with("cell") && name == "q").then_some(Cow::Owned(shape))
    }
}

fn value(text: &str) -> Result<u64, EvaluationFault> {
    text.parse::<Extent>().unwrap_or_else(|fault| panic!("{fault}")).evaluate(&Seven)
}

#[test]
fn extents_are_evaluated_on_the_host() {
    let workspace = &layout(&step(), None).workspaces[0];
    let product = workspace.dims.iter().map(|entry| entry.extent.evaluate(&Seven).unwrap()).product::<u64>();
    assert_eq!(product * u64::from(workspace.element_size), 128);
    assert_eq!(value("1 + 2 * (n - 3) % 5 - 8 / 3"), Ok(2));
    assert_eq!(value("min(n, extent(u, 1)) + max(count(u), 2)"), Ok(20));
    assert_eq!(value("n - 7 ? 1 : n ? 2 : 3"), Ok(2));
    assert_eq!(value("2 - n"), Ok(0));
    assert_eq!(value("n % (n - 7)"), Err(EvaluationFault::DivisionByZero));
    assert_eq!(value("9223372036854775807 + n"), Err(EvaluationFault::Overflow));
    assert_eq!(value("m"), Err(EvaluationFault::Unknown("m".into())));
}

#[test]
fn fields_and_components_of_records_have_values() {
    assert_eq!(value("cells[0].k + cells[n - 6].k + cell.k"), Ok(31));
    assert_eq!(value("extent(cells[1].q, 1) + extent(cell.q, 0)"), Ok(7));
    assert_eq!(value("count(cells[count(cells) - 1].q) * count(cell.q)"), Ok(24));
    let out = |index, count| Err(EvaluationFault::OutOfRange { of: "cells".into(), index, count });
    assert_eq!(value("cells[2].k"), out(2, 2));
    assert_eq!(value("count(cells[2 - 3].q)"), out(-1, 2));
    assert_eq!(value("cells[n].z"), out(7, 2));
    assert_eq!(value("cells[n - 6].z"), Err(EvaluationFault::Unknown("cells[n - 6].z".into())));
    assert_eq!(value("extent(cell.q, 2)"), Err(EvaluationFault::Unknown("cell.q".into())));
    assert_eq!(value("boxes[0].k"), Err(EvaluationFault::Unknown("boxes".into())));
}

#[test]
fn what_is_no_extent_is_refused() {
    let refused = "|n +|(n|n n|foo(n)|%localid|extent(u)|99999999999999999999|cells[0]|cells[0].|cells.|cells[].k\
                   |cells[0.k|extent(cells[0], 0)|count()|cells[0].k.z|cells[0].0|count(3)|n.k(0)";
    for text in refused.split('|') {
        assert!(text.parse::<Extent>().is_err(), "{text}");
    }
    assert!(["n"; 40].join("+").parse::<Extent>().is_err());
    assert!("(".repeat(10_000).parse::<Extent>().is_err());
    assert!("a[".repeat(10_000).parse::<Extent>().is_err());
}

#[test]
fn fields_are_trees_in_the_saved_form() {
    let json = |text: &str| serde_json::to_string(&text.parse::<Extent>().unwrap()).unwrap();
    assert_eq!(json("cells[0].k"), r#"{"field":{"of":"cells","index":0,"name":"k"}}"#);
    assert_eq!(json("count(cell.q)"), r#"{"component_count":{"of":"cell","index":null,"name":"q"}}"#);
    let expected = r#"{"component_extent":{"of":"cells","index":"n","name":"q","dimension":1}}"#;
    assert_eq!(json("extent(cells[n].q, 1)"), expected);
    let read: Extent = serde_json::from_str(r#"{"field":{"of":"cell","name":"k"}}"#).unwrap();
    assert_eq!(read, "cell.k".parse().unwrap());
}

#[test]
fn extents_are_written_as_they_are_read() {
    for text in [
        "n",
        "-3",
        "n - -3",
        "a - b - c",
        "a - (b - c)",
        "(a + b) * c / d % (e * f)",
        "a ? b : c ? d : e",
        "(a ? b : c) ? d + 1 : e",
        "1 + (a ? b : c)",
        "min(a ? b : c, max(1, 2)) * 3",
        "extent(u, 1) + count(u)",
        "cells[i * 2].k + extent(cells[count(cells) - 1].q, 0) - count(cell.q) * cell.k",
    ] {
        assert_eq!(text.parse::<Extent>().unwrap().to_string(), text);
    }
}

/// Faults of the example whose workspace has this extent, and whose cells have a whole number; its kernel does this.
fn sized(extent: &str, body: &str) -> Vec<(String, String)> {
    let text =
        support::STEP.replace("n + 1", extent).replace("\"k\", type = \"f32\"", "\"k\", type = \"i32\"");
    let text = text.replace("rank = 1, intent = \"in\"", "rank = 1");
    let kernel = InterfaceFile::parse(&text).unwrap().kernel("step").unwrap().unwrap();
    // The interface alone does not know what the kernel writes.
    let layout = finalize(&kernel, Limits::default()).unwrap();
    let module = support::module(&stub::stub(&layout).replace(stub::BODY, body));
    let faults =
        finalize_for(&kernel, &module, Limits::default(), Policy::CONTRACT).err().unwrap_or_default();
    let fault = |fault| match fault {
        FinalizeFault::ExtentReadsWritten { of, reads, place: Some(_) } => (of, reads),
        other => panic!("{other}"),
    };
    faults.into_iter().map(fault).collect()
}

#[test]
fn an_extent_may_not_read_what_the_kernel_may_write() {
    for (extent, buffer, reads) in [
        ("cells[0].k * n", "cells_address", "cells.k"),
        ("count(cells[n].q)", "cells_q_sizes_address", "cells.q"),
    ] {
        assert_eq!(sized(extent, &format!("ld.global.32b %n_value, [%{buffer}];")), []);
        let store = format!("st.global.32b [%{buffer}], %n_value;");
        assert_eq!(sized(extent, &store), [("tmp".to_owned(), reads.to_owned())]);
    }
    assert_eq!(sized("count(cells)", "st.global.32b [%cells_address], %n_value;"), []);
}

#[test]
fn sizes_may_not_depend_on_themselves() {
    let shaped = |shape: &str| {
        let text = support::STEP.replace("rank = 2, initial", &format!("shape = [\"{shape}\", 2], initial"));
        let kernel = InterfaceFile::parse(&text).unwrap().kernel("step").unwrap().unwrap();
        finalize(&kernel, Default::default()).map(|_| ()).map_err(|faults| faults[0].to_string())
    };
    assert_eq!(shaped("extent(u, 1) + count(cells)"), Ok(()));
    let fault = shaped("extent(v, 1)").unwrap_err();
    assert!(fault.contains("whose own sizes are computed after it"), "{fault}");
}
