//! Layouts as people read them.

mod support;

use campanile_contract::layout::{Access, AddressSpace, Global, Resources};
use campanile_contract::show;
use support::{layout, step};

const STEP: &str = "\
kernel step: not packed, separate scalars, i32 extents, 88 bytes of arguments aligned to 8, 1 launch, no lanes

buffers
  param  offset  name     kind            type  access      written  noalias  space   align  initial
      0       0  u        array           f32   read        no       yes      global      4  copied
      1       8  v        array           f32   read_write  yes      yes      global      4  undefined
      2      16  cells    array           Cell  read        no       yes      global      4  copied
      3      24  cells.q  member_data     f32   read        no       yes      global      4  copied
      4      32  cells.q  member_offsets  i32   read        no       yes      global      4  copied
      5      40  cells.q  member_sizes    i32   read        no       yes      global      4  copied

scalars
  param  offset  size  name          kind          type  dim
      6      48     4  n             scalar        i32
      7      52     4  tmp.extent.0  scalar        i32
      8      56     4  u             array_extent  i32     0
      9      60     4  u             array_extent  i32     1
     10      64     4  v             array_extent  i32     0
     11      68     4  v             array_extent  i32     1
     12      72     4  cells         array_extent  i32     0

workspaces
  param  offset  name  type  size  align  extents
     13      80  tmp   f32      4     16  n + 1, 4

records
  name  size  align  fields
  Cell     4      4  k f32 at 0, q f32 of rank 1
";

#[test]
fn the_worked_example_is_shown_in_columns() {
    let table = show::table(&layout(&step(), None));
    assert_eq!(table, STEP);
}

const FACTS: &str = r"
workspaces
  param  offset  name  type  size  align  extents
      2      96  tmp   f32      4     16  n + 1, 4

shared memory
  param  offset  size  name  align  bytes
      3     104     4  tile     16  as each launch says

records
  name  size  align  fields
  Cell     4      4  k f32 at 0, q f32 of rank 1

globals
  symbol  host access  space  size  access  written
  G       my_g         const  4096  read    no

device functions: f, g\n
implicit inputs: globaloffset
resources: 64 bytes of shared memory, 0 bytes of private memory, groups of 8 x 4 x 1, barriers
";

#[test]
fn facts_of_the_module_come_last() {
    let kernel = step().scalar_block().lanes(4).shared("tile", "n * 4").unwrap();
    let mut layout = layout(&kernel, Some(7));
    layout.module_digest = Some("sha256:00".into());
    layout.device_functions = vec!["f".into(), "g\n".into()];
    layout.implicit = vec!["globaloffset".into()];
    layout.shared[0].bytes = None;
    layout.resources = Resources {
        shared_bytes: 64,
        required_group_size: Some([8, 4, 1]),
        barriers: true,
        ..Resources::default()
    };
    layout.globals = vec![Global {
        symbol: "G".into(),
        host_access: Some("my_g".into()),
        address_space: AddressSpace::Const,
        size: 4096,
        access: Access::Read,
        written: false,
        atomic: false,
    }];
    let table = show::table(&layout);
    let head = "kernel step: packed, scalars in a block, i32 extents, 112 bytes of arguments aligned to 8, 1 launch, lanes 4\n";
    assert!(table.starts_with(head) && table.ends_with(FACTS), "{table}");
}
