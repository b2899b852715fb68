//! The function that runs work-groups whose kernel is cut into regions: for each region a loop over the sub-groups.

use std::mem::offset_of;

use super::entry::{ATTRIBUTES, Groups, INLINED};
use super::program::Program;
use super::regions::{self, ENDED, Places, Regions};
use crate::frame::{LaunchFrame, SubgroupFrame};
use crate::lower::compute::writer::{LANES, Width, Writer, constant};

/// What copies common registers; nothing else in a kernel does.
const MEMCPY: &str = "@llvm.memcpy.p0.p0.i64";

/// What the regions of one sub-group are called with.
struct Arguments<'a> {
    kernel: &'a str,
    state_bytes: u64,
    /// The number of the work-group in each dimension.
    group: [&'a str; 3],
    /// What is common to the sub-groups, and where they put it at a barrier.
    common: [&'a str; 2],
}

impl Arguments<'_> {
    /// Calls a region for a sub-group; gives the number of the next one. In `writer`'s function, `%frames`, `%states`,
    /// `%stride` and what all regions get have these names.
    fn call(&self, writer: &mut Writer, region: usize, number: &str, attributes: &str) -> String {
        let size = size_of::<SubgroupFrame>();
        let frame = writer.value(&format!("getelementptr [{size} x i8], ptr %frames, i32 {number}"));
        let bytes = self.state_bytes;
        let state = writer.value(&format!("getelementptr [{bytes} x i8], ptr %states, i32 {number}"));
        let distance = writer.value(&format!("mul i32 {number}, %stride"));
        let private = writer.value(&format!("getelementptr i8, ptr %private, i32 {distance}"));
        let name = regions::name(self.kernel, region);
        let [x, y, z] = self.group;
        let [common, next] = self.common;
        writer.value(&format!(
            "call fastcc i32 @{name}(ptr {frame}, ptr %launch, ptr %shared, ptr {private}, i32 {x}, i32 {y}, i32 {z}, \
             i32 {number}, <32 x i1> {}, ptr {state}, ptr {common}, ptr {next}){attributes}",
            constant(Width::All, 1, 1)
        ))
    }
}

/// All sub-groups go through the same regions, as a rule: then which is next is known for all of them. Where that is no
/// rule but certain, they have registers in common too.
pub(super) fn groups_in_regions(
    program: &Program<'_>,
    regions: &Regions,
    name: &str,
    kernel: &str,
) -> String {
    let mut groups = Groups::new(program);
    begin(&mut groups, regions);
    let [x, y, z] = groups.begin_loop("framed");
    let arguments = Arguments {
        kernel,
        state_bytes: regions.state.bytes,
        group: [&x, &y, &z],
        common: ["%common", "%common.next"],
    };
    groups.writer.line("br label %region.0");
    for region in 0..regions.starts.len() {
        region_loop(&mut groups.writer, regions, &arguments, region);
    }
    let mut definition = String::new();
    if regions.common.is_none() {
        let writer = &mut groups.writer;
        writer.place("apart");
        writer.line(&format!(
            "call void @{kernel}.apart(ptr %frames, ptr %launch, ptr %shared, ptr %private, i32 %stride, i32 {x}, \
             i32 {y}, i32 {z}, ptr %states, ptr %nexts)"
        ));
        writer.line("br label %group.end");
        definition = apart(regions, kernel);
    }
    groups.end_loop();
    groups.writer.line("ret void");
    groups.definition(name)
        + &definition
        + &format!("declare void {MEMCPY}(ptr, ptr, i64, i1)\n")
        + ATTRIBUTES
}

/// Makes the frames and states of the sub-groups, once for all work-groups.
fn begin(groups: &mut Groups, regions: &Regions) {
    let (count, bytes) = (regions.subgroups, regions.state.bytes);
    let size = size_of::<SubgroupFrame>();
    let writer = &mut groups.writer;
    writer.line(&format!("%frames = alloca [{size} x i8], i32 {count}, align 16"));
    writer.line(&format!("%states = alloca [{bytes} x i8], i32 {count}, align 64"));
    writer.line(&format!("%nexts = alloca i32, i32 {count}"));
    let bytes = regions.common.as_ref().map_or(0, |common| common.bytes);
    for name in ["%common", "%common.next"] {
        writer.line(&format!("{name} = alloca [{bytes} x i8], align 64"));
    }
    let private = writer.field("%launch", offset_of!(LaunchFrame, private_bytes), "i32");
    writer.line(&format!("%stride = mul i32 {private}, {LANES}"));
    writer.line("br label %frame");
    writer.place("frame");
    writer.line("%number = phi i32 [ 0, %start ], [ %number.next, %frame ]");
    let frame = writer.value(&format!("getelementptr [{size} x i8], ptr %frames, i32 %number"));
    let distance = writer.value("mul i32 %number, %stride");
    let private = writer.value(&format!("getelementptr i8, ptr %private, i32 {distance}"));
    groups.set_frame(&frame, &private);
    let writer = &mut groups.writer;
    writer.line("%number.next = add i32 %number, 1");
    writer.line(&format!("%all.framed = icmp eq i32 %number.next, {count}"));
    writer.line("br i1 %all.framed, label %framed, label %frame");
    writer.place("framed");
}

/// Runs one region for all sub-groups, and goes on to the next one if it is the same for all.
fn region_loop(writer: &mut Writer, regions: &Regions, arguments: &Arguments<'_>, region: usize) {
    let r = region;
    writer.place(&format!("region.{r}"));
    writer.line(&format!("br label %turn.{r}"));
    writer.place(&format!("turn.{r}"));
    writer.line(&format!("%turn.number.{r} = phi i32 [ 0, %region.{r} ], [ %turn.next.{r}, %turn.{r} ]"));
    if regions.common.is_none() {
        writer.line(&format!("%same.{r} = phi i1 [ 1, %region.{r} ], [ %same.next.{r}, %turn.{r} ]"));
        writer.line(&format!("%before.{r} = phi i32 [ {ENDED}, %region.{r} ], [ %after.{r}, %turn.{r} ]"));
    }
    let number = format!("%turn.number.{r}");
    let next = arguments.call(writer, region, &number, INLINED);
    if regions.common.is_none() {
        compare_next(writer, region, &number, &next);
    }
    writer.line(&format!("%turn.next.{r} = add i32 {number}, 1"));
    writer.line(&format!("%turned.{r} = icmp eq i32 %turn.next.{r}, {}", regions.subgroups));
    writer.line(&format!("br i1 %turned.{r}, label %all.{r}, label %turn.{r}"));
    writer.place(&format!("all.{r}"));
    let targets = (1..regions.starts.len()).map(|next| format!("i32 {next}, label %region.{next}"));
    let targets = targets.collect::<Vec<_>>().join(" ");
    if let Some(Places { bytes, .. }) = regions.common {
        writer.line(&format!("call void {MEMCPY}(ptr %common, ptr %common.next, i64 {bytes}, i1 0)"));
        writer.line(&format!("switch i32 {next}, label %group.end [ {targets} ]"));
        return;
    }
    writer.line(&format!("br i1 %same.next.{r}, label %next.{r}, label %apart"));
    writer.place(&format!("next.{r}"));
    writer.line(&format!("switch i32 %after.{r}, label %group.end [ {targets} ]"));
}

/// Takes note of a sub-group's next region, and whether it is that of those before it.
fn compare_next(writer: &mut Writer, region: usize, number: &str, next: &str) {
    let r = region;
    let place = writer.value(&format!("getelementptr i32, ptr %nexts, i32 {number}"));
    writer.line(&format!("store i32 {next}, ptr {place}"));
    let is_first = writer.value(&format!("icmp eq i32 {number}, 0"));
    writer.line(&format!("%after.{r} = select i1 {is_first}, i32 {next}, i32 %before.{r}"));
    let agrees = writer.value(&format!("icmp eq i32 {next}, %after.{r}"));
    writer.line(&format!("%same.next.{r} = and i1 %same.{r}, {agrees}"));
}

/// The function that goes on where sub-groups are in different regions: round by round, each in its own.
fn apart(regions: &Regions, kernel: &str) -> String {
    let mut writer = Writer::default();
    let group = ["%group.x", "%group.y", "%group.z"];
    let arguments = Arguments { kernel, state_bytes: regions.state.bytes, group, common: ["null"; 2] };
    writer.line("br label %round");
    writer.place("round");
    writer.line("br label %turn");
    writer.place("turn");
    writer.line("%number = phi i32 [ 0, %round ], [ %number.next, %turn.end ]");
    writer.line("%busy = phi i1 [ 0, %round ], [ %busy.next, %turn.end ]");
    let place = writer.value("getelementptr i32, ptr %nexts, i32 %number");
    let own = writer.value(&format!("load i32, ptr {place}"));
    let count = regions.starts.len();
    let targets: Vec<String> =
        (1..count).map(|region| format!("i32 {region}, label %region.{region}")).collect();
    writer.line(&format!("switch i32 {own}, label %turn.end [ {} ]", targets.join(" ")));
    let mut ends = vec!["[ %busy, %turn ]".to_owned()];
    for region in 1..count {
        writer.place(&format!("region.{region}"));
        let next = arguments.call(&mut writer, region, "%number", "");
        writer.line(&format!("store i32 {next}, ptr {place}"));
        writer.line("br label %turn.end");
        ends.push(format!("[ 1, %region.{region} ]"));
    }
    writer.place("turn.end");
    writer.line(&format!("%busy.next = phi i1 {}", ends.join(", ")));
    writer.line("%number.next = add i32 %number, 1");
    writer.line(&format!("%all = icmp eq i32 %number.next, {}", regions.subgroups));
    writer.line("br i1 %all, label %round.end, label %turn");
    writer.place("round.end");
    writer.line("br i1 %busy.next, label %round, label %ended");
    writer.place("ended");
    writer.line("ret void");
    format!(
        "define internal void @{kernel}.apart(ptr %frames, ptr %launch, ptr %shared, ptr %private, i32 %stride, \
         i32 %group.x, i32 %group.y, i32 %group.z, ptr %states, ptr %nexts) noinline cold {{\n{}}}\n",
        writer.text()
    )
}
