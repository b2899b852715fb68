//! What must hold of every layout.

use campanile_contract::{KernelLayout, show, validate};

/// A layout holds, survives saving, can be shown, and holds with other lanes.
pub fn check_layout(layout: &KernelLayout) {
    assert_eq!(validate(layout), Ok(()));
    let saved = layout.to_json().expect("plain data");
    let again = KernelLayout::from_json(&saved).unwrap_or_else(|fault| panic!("{fault}\n{saved}"));
    assert_eq!(again, *layout);
    show::table(layout);
    for lanes in [None, Some(1), Some(32)] {
        if let Ok(changed) = layout.with_lanes(lanes) {
            assert_eq!(validate(&changed), Ok(()));
        }
    }
}
