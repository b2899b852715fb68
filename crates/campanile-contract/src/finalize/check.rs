//! What an interface may not say.

use super::FinalizeFault;
use crate::element::{ElementType, is_alignment};
use crate::interface::{ArgumentKind, KernelInterface, Shape};
use crate::record::RecordLayout;

/// Faults of records, arguments and workspaces.
pub(super) fn faults(interface: &KernelInterface) -> Vec<FinalizeFault> {
    let mut faults = Vec::new();
    for (name, record) in &interface.records {
        faults.extend(RecordLayout::new(name, record).err().map(FinalizeFault::from));
    }
    for argument in &interface.arguments {
        let name = || argument.name.clone();
        let record = match &argument.kind {
            ArgumentKind::Array { element, shape } => {
                if matches!(shape, Shape::Deferred(0)) || *shape == Shape::Explicit(Vec::new()) {
                    faults.push(FinalizeFault::NoDimensions(name()));
                }
                match element {
                    ElementType::Record(record) => record,
                    ElementType::Number(_) | ElementType::Bytes(_) => continue,
                }
            }
            ArgumentKind::Record { record, .. } => record,
            ArgumentKind::Scalar(_) => continue,
            ArgumentKind::Shared { align, .. } => {
                if !is_alignment(*align, 1) {
                    faults.push(FinalizeFault::Alignment { of: name(), align: *align, least: 1 });
                }
                continue;
            }
        };
        if !interface.records.contains_key(record) {
            faults.push(FinalizeFault::UnknownRecord { argument: name(), record: record.clone() });
        }
    }
    for workspace in &interface.workspaces {
        let (align, least) = (workspace.align, workspace.element.size());
        if !is_alignment(align, least) {
            faults.push(FinalizeFault::Alignment { of: workspace.name.clone(), align, least });
        }
    }
    faults
}
