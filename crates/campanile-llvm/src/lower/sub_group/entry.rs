//! The functions by which the host enters a kernel.

use std::mem::offset_of;

use super::program::Program;
use crate::frame::{GroupFrame, LaunchFrame, SubgroupFrame};
use crate::lower::compute::writer::{LANES, Writer};

/// Parameters of a kernel's function.
pub(super) const KERNEL_PARAMETERS: &str = "ptr %frame, ptr %launch, ptr %shared, ptr %private, i32 %group.x, \
                                            i32 %group.y, i32 %group.z, i32 %number, <32 x i1> %entry";

/// What stands behind calls that are inlined before anything else is optimized: LLVM otherwise may pass what a function reads
/// instead of the pointer to it, and forgets that nobody writes it.
pub(super) const INLINED: &str = " #0";

/// What these calls refer to.
pub(super) const ATTRIBUTES: &str = "attributes #0 = { alwaysinline }\n";

fn set(writer: &mut Writer, frame: &str, offset: usize, ty: &str, value: &str) {
    let place = writer.value(&format!("getelementptr inbounds i8, ptr {frame}, i64 {offset}"));
    writer.line(&format!("store {ty} {value}, ptr {place}"));
}

/// The function that runs one sub-group.
pub(super) fn subgroup(name: &str, kernel: &str) -> String {
    let mut writer = Writer::default();
    let group = writer.field("%frame", offset_of!(SubgroupFrame, group), "ptr");
    let private = writer.field("%frame", offset_of!(SubgroupFrame, private), "ptr");
    let number = writer.field("%frame", offset_of!(SubgroupFrame, number), "i32");
    let lanes = writer.field("%frame", offset_of!(SubgroupFrame, lanes), "i32");
    let launch = writer.field(&group, offset_of!(GroupFrame, launch), "ptr");
    let shared = writer.field(&group, offset_of!(GroupFrame, shared), "ptr");
    let ids = offset_of!(GroupFrame, group_id);
    let [x, y, z] = [0, 4, 8].map(|offset| writer.field(&group, ids + offset, "i32"));
    let mask = writer.value(&format!("bitcast i32 {lanes} to <32 x i1>"));
    writer.line(&format!(
        "call fastcc void @{kernel}(ptr %frame, ptr {launch}, ptr {shared}, ptr {private}, i32 {x}, i32 {y}, i32 {z}, \
         i32 {number}, <32 x i1> {mask})"
    ));
    writer.line("ret void");
    format!("define void @{name}(ptr %frame) {{\n{}}}\n", writer.text())
}

/// Writes the head of a function that runs work-groups: the frame of the group, and how many sub-groups it has.
pub(super) struct Groups {
    pub writer: Writer,
    /// Work-items of a work-group.
    items: String,
    /// Sub-groups of a work-group.
    subgroups: String,
    /// Work-groups in x and y, as 64 bits.
    counts: [String; 2],
}

impl Groups {
    pub fn new(program: &Program<'_>) -> Self {
        let mut writer = Writer::default();
        writer.line(&format!("%group = alloca [{} x i8], align 16", size_of::<GroupFrame>()));
        let counts = offset_of!(LaunchFrame, group_count);
        let counts = [0, 4].map(|offset| {
            let count = writer.field("%launch", counts + offset, "i32");
            writer.value(&format!("zext i32 {count} to i64"))
        });
        let sizes: Vec<String> = match program.launch.local {
            Some(local) => local.iter().map(u32::to_string).collect(),
            None => {
                let sizes = offset_of!(LaunchFrame, enqueued_local_size);
                (0..3).map(|dimension| writer.field("%launch", sizes + 4 * dimension, "i32")).collect()
            }
        };
        set(&mut writer, "%group", offset_of!(GroupFrame, launch), "ptr", "%launch");
        set(&mut writer, "%group", offset_of!(GroupFrame, shared), "ptr", "%shared");
        for (dimension, size) in sizes.iter().enumerate() {
            set(&mut writer, "%group", offset_of!(GroupFrame, local_size) + 4 * dimension, "i32", size);
        }
        let plane = writer.value(&format!("mul i32 {}, {}", sizes[0], sizes[1]));
        let items = writer.value(&format!("mul i32 {plane}, {}", sizes[2]));
        let rounded = writer.value(&format!("add i32 {items}, {}", LANES - 1));
        let subgroups = writer.value(&format!("lshr i32 {rounded}, {}", LANES.trailing_zeros()));
        Groups { writer, items, subgroups, counts }
    }

    /// Begins the loop over the groups, in a block that is left for it; gives the number of the group in each dimension.
    pub fn begin_loop(&mut self, before: &str) -> [String; 3] {
        let writer = &mut self.writer;
        let [count_x, count_y] = &self.counts;
        writer.line("br label %group.head");
        writer.place("group.head");
        writer.line(&format!("%index = phi i64 [ %first, %{before} ], [ %index.next, %group.end ]"));
        writer.line("%more = icmp ult i64 %index, %end");
        writer.line("br i1 %more, label %group.body, label %done");
        writer.place("group.body");
        let quotient = writer.value(&format!("udiv i64 %index, {count_x}"));
        let parts = [
            writer.value(&format!("urem i64 %index, {count_x}")),
            writer.value(&format!("urem i64 {quotient}, {count_y}")),
            writer.value(&format!("udiv i64 {quotient}, {count_y}")),
        ];
        let ids = parts.map(|part| writer.value(&format!("trunc i64 {part} to i32")));
        for (dimension, id) in ids.iter().enumerate() {
            set(writer, "%group", offset_of!(GroupFrame, group_id) + 4 * dimension, "i32", id);
        }
        ids
    }

    /// Fills in the frame of the sub-group `%number`; gives its lanes as a vector of bits.
    pub fn set_frame(&mut self, frame: &str, private: &str) -> String {
        let writer = &mut self.writer;
        let first = writer.value(&format!("shl i32 %number, {}", LANES.trailing_zeros()));
        let left = writer.value(&format!("sub i32 {}, {first}", self.items));
        let whole = writer.value(&format!("icmp uge i32 {left}, {LANES}"));
        let some = writer.value(&format!("shl i32 -1, {left}"));
        let some = writer.value(&format!("xor i32 {some}, -1"));
        let lanes = writer.value(&format!("select i1 {whole}, i32 -1, i32 {some}"));
        set(writer, frame, offset_of!(SubgroupFrame, group), "ptr", "%group");
        set(writer, frame, offset_of!(SubgroupFrame, private), "ptr", private);
        set(writer, frame, offset_of!(SubgroupFrame, host), "ptr", "null");
        set(writer, frame, offset_of!(SubgroupFrame, number), "i32", "%number");
        set(writer, frame, offset_of!(SubgroupFrame, lanes), "i32", &lanes);
        writer.value(&format!("bitcast i32 {lanes} to <32 x i1>"))
    }

    /// Ends the loop over the groups.
    pub fn end_loop(&mut self) {
        self.writer.place("group.end");
        self.writer.line("%index.next = add i64 %index, 1");
        self.writer.line("br label %group.head");
        self.writer.place("done");
    }

    pub fn definition(self, name: &str) -> String {
        // What is loaded from the frame can be loaded before it is known to be needed.
        let launch = format!("ptr dereferenceable({}) align 8 %launch", size_of::<LaunchFrame>());
        format!(
            "define void @{name}({launch}, ptr %shared, ptr %private, i64 %first, i64 %end) {{\nstart:\n{}}}\n",
            self.writer.text()
        )
    }
}

/// The function that runs all sub-groups of some work-groups, one after another.
pub(super) fn groups(program: &Program<'_>, name: &str, kernel: &str) -> String {
    let mut groups = Groups::new(program);
    groups.writer.line(&format!("%frame = alloca [{} x i8], align 16", size_of::<SubgroupFrame>()));
    let [x, y, z] = groups.begin_loop("start");
    groups.writer.line("br label %subgroup.body");
    groups.writer.place("subgroup.body");
    groups.writer.line("%number = phi i32 [ 0, %group.body ], [ %number.next, %subgroup.body ]");
    let mask = groups.set_frame("%frame", "%private");
    let subgroups = groups.subgroups.clone();
    groups.writer.line(&format!(
        "call fastcc void @{kernel}(ptr %frame, ptr %launch, ptr %shared, ptr %private, i32 {x}, i32 {y}, i32 {z}, \
         i32 %number, <32 x i1> {mask}){INLINED}"
    ));
    groups.writer.line("%number.next = add i32 %number, 1");
    groups.writer.line(&format!("%last = icmp eq i32 %number.next, {subgroups}"));
    groups.writer.line("br i1 %last, label %group.end, label %subgroup.body");
    groups.end_loop();
    groups.writer.line("ret void");
    groups.definition(name) + ATTRIBUTES
}

/// The function that runs all sub-groups of some work-groups, those of each work-group together: each goes on to the next
/// barrier in turn.
pub(super) fn groups_together(program: &Program<'_>, name: &str, kernel: &str) -> String {
    let size = size_of::<SubgroupFrame>();
    let mut groups = Groups::new(program);
    let subgroups = groups.subgroups.clone();
    let writer = &mut groups.writer;
    writer.line(&format!("%frames = alloca [{size} x i8], i32 {subgroups}, align 16"));
    writer.line(&format!("%handles = alloca ptr, i32 {subgroups}"));
    let bytes = writer.value(&format!("mul i32 {subgroups}, {size}"));
    writer.line(&format!("call void @llvm.memset.p0.i32(ptr %frames, i8 0, i32 {bytes}, i1 0)"));
    let private = writer.field("%launch", offset_of!(LaunchFrame, private_bytes), "i32");
    let stride = writer.value(&format!("mul i32 {private}, {LANES}"));
    let [x, y, z] = groups.begin_loop("start");
    groups.writer.line("br label %begin");
    groups.writer.place("begin");
    groups.writer.line("%number = phi i32 [ 0, %group.body ], [ %number.next, %begin ]");
    let frame = groups.writer.value(&format!("getelementptr [{size} x i8], ptr %frames, i32 %number"));
    let distance = groups.writer.value(&format!("mul i32 %number, {stride}"));
    let private = groups.writer.value(&format!("getelementptr i8, ptr %private, i32 {distance}"));
    let mask = groups.set_frame(&frame, &private);
    let writer = &mut groups.writer;
    let handle = writer.value(&format!(
        "call fastcc ptr @{kernel}(ptr {frame}, ptr %launch, ptr %shared, ptr {private}, i32 {x}, i32 {y}, i32 {z}, \
         i32 %number, <32 x i1> {mask})"
    ));
    let place = writer.value("getelementptr ptr, ptr %handles, i32 %number");
    writer.line(&format!("store ptr {handle}, ptr {place}"));
    writer.line("%number.next = add i32 %number, 1");
    writer.line(&format!("%begun = icmp eq i32 %number.next, {subgroups}"));
    writer.line("br i1 %begun, label %round, label %begin");
    resume_in_rounds(writer, &subgroups);
    groups.end_loop();
    free_storage(&mut groups.writer, &subgroups);
    let declarations = "declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)\ndeclare void @free(ptr)\n\
                        declare i1 @llvm.coro.done(ptr)\ndeclare void @llvm.coro.resume(ptr)\n\
                        declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i64 @llvm.coro.size.i64()\n\
                        declare ptr @llvm.coro.begin(token, ptr)\ndeclare ptr @aligned_alloc(i64, i64)\n";
    groups.definition(name) + declarations
}

/// Resumes all sub-groups that have not ended, round by round.
fn resume_in_rounds(writer: &mut Writer, subgroups: &str) {
    writer.place("round");
    writer.line("br label %turn");
    writer.place("turn");
    writer.line("%place = phi i32 [ 0, %round ], [ %place.next, %turn.end ]");
    writer.line("%busy = phi i1 [ 0, %round ], [ %busy.next, %turn.end ]");
    let place = writer.value("getelementptr ptr, ptr %handles, i32 %place");
    let handle = writer.value(&format!("load ptr, ptr {place}"));
    let done = writer.value(&format!("call i1 @llvm.coro.done(ptr {handle})"));
    writer.line(&format!("br i1 {done}, label %turn.end, label %turn.resume"));
    writer.place("turn.resume");
    writer.line(&format!("call void @llvm.coro.resume(ptr {handle})"));
    writer.line("br label %turn.end");
    writer.place("turn.end");
    writer.line("%busy.next = phi i1 [ %busy, %turn ], [ 1, %turn.resume ]");
    writer.line("%place.next = add i32 %place, 1");
    writer.line(&format!("%turns = icmp eq i32 %place.next, {subgroups}"));
    writer.line("br i1 %turns, label %round.end, label %turn");
    writer.place("round.end");
    writer.line("br i1 %busy.next, label %round, label %group.end");
}

/// Gives back what sub-groups held.
fn free_storage(writer: &mut Writer, subgroups: &str) {
    writer.line("br label %free");
    writer.place("free");
    writer.line("%freed = phi i32 [ 0, %done ], [ %freed.next, %free ]");
    let frame = writer
        .value(&format!("getelementptr [{} x i8], ptr %frames, i32 %freed", size_of::<SubgroupFrame>()));
    let storage = writer.field(&frame, offset_of!(SubgroupFrame, storage), "ptr");
    writer.line(&format!("call void @free(ptr {storage})"));
    writer.line("%freed.next = add i32 %freed, 1");
    writer.line(&format!("%all.freed = icmp eq i32 %freed.next, {subgroups}"));
    writer.line("br i1 %all.freed, label %freed.all, label %free");
    writer.place("freed.all");
    writer.line("ret void");
}

/// What a kernel begins with that suspends itself at barriers: what it holds meanwhile lies in its sub-group's storage,
/// which is found in the frame and made for the first work-group.
pub(super) fn begin_suspending() -> String {
    let storage = offset_of!(SubgroupFrame, storage);
    let lines = [
        "%coroutine = call token @llvm.coro.id(i32 128, ptr null, ptr null, ptr null)",
        "%storage.bytes = call i64 @llvm.coro.size.i64()",
        &format!("%storage.place = getelementptr inbounds i8, ptr %frame, i64 {storage}"),
        "%storage.old = load ptr, ptr %storage.place",
        "%storage.none = icmp eq ptr %storage.old, null",
        "br i1 %storage.none, label %storage.new, label %storage.done",
        "storage.new:",
        "%storage.more = add i64 %storage.bytes, 127",
        "%storage.rounded = and i64 %storage.more, -128",
        "%storage.given = call ptr @aligned_alloc(i64 128, i64 %storage.rounded)",
        "store ptr %storage.given, ptr %storage.place",
        "br label %storage.done",
        "storage.done:",
        "%storage = load ptr, ptr %storage.place",
        "%handle = call ptr @llvm.coro.begin(token %coroutine, ptr %storage)",
    ];
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
