//! What an interface may not say.

use super::FinalizeFault;
use crate::element::{GREATEST_RANK, is_alignment};
use crate::interface::{Argument, ArgumentKind, Intent, KernelInterface};
use crate::layout::Initial;
use crate::record::RecordLayout;

/// Most buffers that a kernel can take. Many arguments of one record with many components ask for far more than the
/// text of the interface is long.
pub(super) const GREATEST_BUFFERS: usize = 1 << 16;

/// Faults of records, arguments and workspaces.
pub(super) fn faults(interface: &KernelInterface) -> Vec<FinalizeFault> {
    let mut faults = Vec::new();
    for (name, record) in &interface.records {
        faults.extend(RecordLayout::new(name, record).err().map(FinalizeFault::from));
    }
    for argument in &interface.arguments {
        let name = || argument.name.clone();
        if argument.intent == Intent::In && argument.initial == Initial::Undefined {
            faults.push(FinalizeFault::UndefinedInput(name()));
        }
        match &argument.kind {
            ArgumentKind::Array { shape, .. } => faults.extend(rank(&argument.name, shape.rank())),
            ArgumentKind::Shared { align, .. } if !is_alignment(*align, 1) => {
                faults.push(FinalizeFault::Alignment { of: name(), align: *align, least: 1 });
            }
            _ => {}
        }
        let record = argument.kind.record();
        if let Some(record) = record.filter(|record| !interface.records.contains_key(*record)) {
            faults.push(FinalizeFault::UnknownRecord { argument: name(), record: record.clone() });
        }
    }
    for workspace in &interface.workspaces {
        faults.extend(rank(&workspace.name, workspace.dims.len()));
        let (align, least) = (workspace.align, workspace.element.size());
        if !is_alignment(align, least) {
            faults.push(FinalizeFault::Alignment { of: workspace.name.clone(), align, least });
        }
    }
    let buffers = interface.arguments.iter().map(|argument| buffers(interface, argument));
    let buffers = buffers.fold(0usize, usize::saturating_add);
    if buffers > GREATEST_BUFFERS {
        faults.push(FinalizeFault::Buffers(buffers));
    }
    faults
}

fn rank(of: &str, rank: usize) -> Option<FinalizeFault> {
    if rank == 0 {
        return Some(FinalizeFault::NoDimensions(of.to_owned()));
    }
    (rank > GREATEST_RANK as usize).then(|| FinalizeFault::Rank { of: of.to_owned(), rank })
}

/// The buffers that an argument becomes.
fn buffers(interface: &KernelInterface, argument: &Argument) -> usize {
    if matches!(argument.kind, ArgumentKind::Scalar(_) | ArgumentKind::Shared { .. }) {
        return 0;
    }
    let record = argument.kind.record().and_then(|record| interface.records.get(record));
    let fields = record.map_or(&[][..], |record| &record.fields);
    1 + 3 * fields.iter().filter(|field| field.allocatable).count()
}
