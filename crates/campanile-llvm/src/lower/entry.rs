//! The functions by which the host enters a kernel.

use std::mem::offset_of;

use super::program::Program;
use super::writer::{LANES, Writer};
use crate::frame::{GroupFrame, LaunchFrame, SubgroupFrame};

/// Parameters of a kernel's function.
pub(super) const KERNEL_PARAMETERS: &str = "ptr %frame, ptr %launch, ptr %shared, ptr %private, i32 %group.x, \
                                            i32 %group.y, i32 %group.z, i32 %number, <32 x i1> %entry";

fn field(writer: &mut Writer, frame: &str, offset: usize, ty: &str) -> String {
    let place = writer.value(&format!("getelementptr inbounds i8, ptr {frame}, i64 {offset}"));
    writer.value(&format!("load {ty}, ptr {place}"))
}

fn set(writer: &mut Writer, frame: &str, offset: usize, ty: &str, value: &str) {
    let place = writer.value(&format!("getelementptr inbounds i8, ptr {frame}, i64 {offset}"));
    writer.line(&format!("store {ty} {value}, ptr {place}"));
}

/// The function that runs one sub-group.
pub(super) fn subgroup(name: &str, kernel: &str) -> String {
    let mut writer = Writer::default();
    let group = field(&mut writer, "%frame", offset_of!(SubgroupFrame, group), "ptr");
    let private = field(&mut writer, "%frame", offset_of!(SubgroupFrame, private), "ptr");
    let number = field(&mut writer, "%frame", offset_of!(SubgroupFrame, number), "i32");
    let lanes = field(&mut writer, "%frame", offset_of!(SubgroupFrame, lanes), "i32");
    let launch = field(&mut writer, &group, offset_of!(GroupFrame, launch), "ptr");
    let shared = field(&mut writer, &group, offset_of!(GroupFrame, shared), "ptr");
    let ids = offset_of!(GroupFrame, group_id);
    let [x, y, z] = [0, 4, 8].map(|offset| field(&mut writer, &group, ids + offset, "i32"));
    let mask = writer.value(&format!("bitcast i32 {lanes} to <32 x i1>"));
    writer.line(&format!(
        "call fastcc void @{kernel}(ptr %frame, ptr {launch}, ptr {shared}, ptr {private}, i32 {x}, i32 {y}, i32 {z}, \
         i32 {number}, <32 x i1> {mask})"
    ));
    writer.line("ret void");
    format!("define void @{name}(ptr %frame) {{\n{}}}\n", writer.text())
}

/// The function that runs all sub-groups of some work-groups, one after another.
pub(super) fn groups(program: &Program<'_>, name: &str, kernel: &str) -> String {
    let mut writer = Writer::default();
    writer.line(&format!("%frame = alloca [{} x i8], align 16", size_of::<SubgroupFrame>()));
    writer.line(&format!("%group = alloca [{} x i8], align 16", size_of::<GroupFrame>()));
    let counts = offset_of!(LaunchFrame, group_count);
    let [count_x, count_y] = [0, 4].map(|offset| field(&mut writer, "%launch", counts + offset, "i32"));
    let sizes: Vec<String> = match program.launch.local {
        Some(local) => local.iter().map(u32::to_string).collect(),
        None => {
            let sizes = offset_of!(LaunchFrame, enqueued_local_size);
            (0..3).map(|dimension| field(&mut writer, "%launch", sizes + 4 * dimension, "i32")).collect()
        }
    };
    set(&mut writer, "%group", offset_of!(GroupFrame, launch), "ptr", "%launch");
    set(&mut writer, "%group", offset_of!(GroupFrame, shared), "ptr", "%shared");
    for (dimension, size) in sizes.iter().enumerate() {
        set(&mut writer, "%group", offset_of!(GroupFrame, local_size) + 4 * dimension, "i32", size);
    }
    set(&mut writer, "%frame", offset_of!(SubgroupFrame, group), "ptr", "%group");
    set(&mut writer, "%frame", offset_of!(SubgroupFrame, private), "ptr", "%private");
    set(&mut writer, "%frame", offset_of!(SubgroupFrame, host), "ptr", "null");
    let plane = writer.value(&format!("mul i32 {}, {}", sizes[0], sizes[1]));
    let items = writer.value(&format!("mul i32 {plane}, {}", sizes[2]));
    let rounded = writer.value(&format!("add i32 {items}, {}", LANES - 1));
    let subgroups = writer.value(&format!("lshr i32 {rounded}, {}", LANES.trailing_zeros()));
    let wide_x = writer.value(&format!("zext i32 {count_x} to i64"));
    let wide_y = writer.value(&format!("zext i32 {count_y} to i64"));
    writer.line("br label %group.head");
    writer.place("group.head");
    writer.line("%index = phi i64 [ %first, %start ], [ %index.next, %group.end ]");
    writer.line("%more = icmp ult i64 %index, %end");
    writer.line("br i1 %more, label %group.body, label %done");
    writer.place("group.body");
    let quotient = writer.value(&format!("udiv i64 %index, {wide_x}"));
    let parts = [
        writer.value(&format!("urem i64 %index, {wide_x}")),
        writer.value(&format!("urem i64 {quotient}, {wide_y}")),
        writer.value(&format!("udiv i64 {quotient}, {wide_y}")),
    ];
    let ids: Vec<String> =
        parts.iter().map(|part| writer.value(&format!("trunc i64 {part} to i32"))).collect();
    for (dimension, id) in ids.iter().enumerate() {
        set(&mut writer, "%group", offset_of!(GroupFrame, group_id) + 4 * dimension, "i32", id);
    }
    writer.line("br label %subgroup.body");
    writer.place("subgroup.body");
    writer.line("%number = phi i32 [ 0, %group.body ], [ %number.next, %subgroup.body ]");
    let first = writer.value(&format!("shl i32 %number, {}", LANES.trailing_zeros()));
    let left = writer.value(&format!("sub i32 {items}, {first}"));
    let whole = writer.value(&format!("icmp uge i32 {left}, {LANES}"));
    let some = writer.value(&format!("shl i32 -1, {left}"));
    let some = writer.value(&format!("xor i32 {some}, -1"));
    let lanes = writer.value(&format!("select i1 {whole}, i32 -1, i32 {some}"));
    set(&mut writer, "%frame", offset_of!(SubgroupFrame, number), "i32", "%number");
    set(&mut writer, "%frame", offset_of!(SubgroupFrame, lanes), "i32", &lanes);
    let mask = writer.value(&format!("bitcast i32 {lanes} to <32 x i1>"));
    writer.line(&format!(
        "call fastcc void @{kernel}(ptr %frame, ptr %launch, ptr %shared, ptr %private, i32 {}, i32 {}, i32 {}, \
         i32 %number, <32 x i1> {mask})",
        ids[0], ids[1], ids[2]
    ));
    writer.line("%number.next = add i32 %number, 1");
    writer.line(&format!("%last = icmp eq i32 %number.next, {subgroups}"));
    writer.line("br i1 %last, label %group.end, label %subgroup.body");
    writer.place("group.end");
    writer.line("%index.next = add i64 %index, 1");
    writer.line("br label %group.head");
    writer.place("done");
    writer.line("ret void");
    format!(
        "define void @{name}(ptr %launch, ptr %shared, ptr %private, i64 %first, i64 %end) {{\nstart:\n{}}}\n",
        writer.text()
    )
}
