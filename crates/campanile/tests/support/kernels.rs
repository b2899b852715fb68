//! Kernels that several tests launch.

use campanile::contract::layout::Limits;
use campanile::contract::{Field, KernelInterface, Number};
use campanile::{Device, Kernel, Records, RecordsBuilder};

use super::{kernel, kernel_within};

/// `c[i] = a[i] + b[i]; b[i] = a[i];` of `i32`, where c is wholly overwritten and d left alone.
pub fn combine() -> Kernel {
    let interface = KernelInterface::kernel("combine")
        .array("a", Number::I32, 1)
        .array("b", Number::I32, 1)
        .array("c", Number::I32, 1)
        .undefined()
        .array("d", Number::I32, 1);
    kernel(
        &interface,
        ".reg .64b %a, %b, %c;
         .reg .32b %x, %y;
         umad.64b %a, %iteration, 4, %a_address;
         umad.64b %b, %iteration, 4, %b_address;
         umad.64b %c, %iteration, 4, %c_address;
         ld.global.32b %x, [%a];
         ld.global.32b %y, [%b];
         iadd.32b %y, %x, %y;
         st.global.32b [%c], %y;
         st.global.32b [%b], %x;",
    )
}

/// The worked example: `step(u(:,:), v(:,:), cells(:), n)`, each iteration with `tmp(n+1, 4)`.
pub fn step_interface() -> KernelInterface {
    KernelInterface::kernel("step")
        .record("Cell", vec![Field::plain("k", Number::F32), Field::allocatable("q", Number::F32, 1)])
        .array("u", Number::F32, 2)
        .array("v", Number::F32, 2)
        .undefined()
        .records("cells", "Cell", 1)
        .scalar("n", Number::I32)
        .workspace("tmp", Number::F32, ["n + 1", "4"])
        .expect("its sizes are extents")
}

/// `v[i] = u[i] + cells[c].k + sum(cells[c].q) + sum(tmp)`, with c = i mod cells, after all of tmp was set to `u[i]`.
const STEP: &str = ".reg .64b %at;
  .reg .32b %u, %sum, %x, %cell, %index, %end;
  .pred %done;
  umad.64b %at, %iteration, 4, %u_address;
  ld.global.32b %u, [%at];
  trunc.32b.64b %cell, %iteration;
  udiv.32b %x, %cell, %cells_extent_0_value;
  umul.32b %x, %x, %cells_extent_0_value;
  isub.32b %cell, %cell, %x;
  umad.full.32b %at, %cell, 4, %cells_address;
  ld.global.32b %x, [%at];
  fadd.f %sum, %u, %x;
  umad.full.32b %at, %cell, 4, %cells_q_offsets_address;
  ld.global.32b %index, [%at];
  umad.full.32b %at, %cell, 4, %cells_q_sizes_address;
  ld.global.32b %end, [%at];
  iadd.32b %end, %end, %index;
next_q:
  ucmp.ge.32b %done, %index, %end;
  goto.cond %done, q_done;
  umad.full.32b %at, %index, 4, %cells_q_address;
  ld.global.32b %x, [%at];
  fadd.f %sum, %sum, %x;
  iadd.32b %index, %index, 1;
  goto next_q;
q_done:
  umul.32b %end, %tmp_extent_0_value, 4;
  mov.32b %index, 0;
fill:
  ucmp.ge.32b %done, %index, %end;
  goto.cond %done, filled;
  umad.full.32b %at, %index, 4, %tmp_slice;
  st.global.32b [%at], %u;
  iadd.32b %index, %index, 1;
  goto fill;
filled:
  ucmp.eq.32b %done, %index, 0;
  goto.cond %done, added;
  isub.32b %index, %index, 1;
  umad.full.32b %at, %index, 4, %tmp_slice;
  ld.global.32b %x, [%at];
  fadd.f %sum, %sum, %x;
  goto filled;
added:
  umad.64b %at, %iteration, 4, %v_address;
  st.global.32b [%at], %sum;";

/// The worked example of an interface that differs from [`step_interface`] in how things are passed only.
pub fn step(interface: &KernelInterface, limits: Limits) -> Kernel {
    kernel_within(interface, limits, STEP)
}

/// Two cells: k = 0.5 and 1.5, q = (1, 2, 3) and (4, 5).
pub fn two_cells(kernel: &Kernel, device: &mut Device) -> Records {
    let cells = RecordsBuilder::new(kernel.layout(), "cells", [2]).unwrap();
    let cells = cells.field("k", &[0.5f32, 1.5]).unwrap();
    let cells = cells.component("q", 0, [3], &[1.0f32, 2.0, 3.0]).unwrap();
    let cells = cells.component("q", 1, [2], &[4.0f32, 5.0]).unwrap();
    device.records("cells", cells).unwrap()
}

/// What the worked example makes of u and [`two_cells`].
pub fn step_result(u: &[f32], n: i32) -> Vec<f32> {
    let of_cell = [0.5 + 6.0, 1.5 + 9.0];
    let tmp = ((n + 1).max(0) * 4) as f32;
    u.iter().enumerate().map(|(index, u)| u + of_cell[index % 2] + u * tmp).collect()
}

/// Arrays, records with a component, a number: what is misused.
pub fn store_interface() -> KernelInterface {
    let cell = vec![
        Field::plain("m", Number::I32),
        Field::plain("w", Number::F32),
        Field::allocatable("q", Number::U8, 2),
    ];
    KernelInterface::kernel("go")
        .record("Cell", cell)
        .array("u", Number::I32, 1)
        .records("cells", "Cell", 1)
        .scalar("n", Number::I64)
}

/// Stores n to the first element of u.
pub const STORE: &str = ".reg .32b %x;
  trunc.32b.64b %x, %n_value;
  st.global.32b [%u_address], %x;";

/// The kernel of [`store_interface`].
pub fn store() -> Kernel {
    kernel(&store_interface(), STORE)
}

/// Two cells without components.
pub fn plain_cells(kernel: &Kernel, device: &mut Device) -> Records {
    let cells = RecordsBuilder::new(kernel.layout(), "cells", [2]).unwrap().field("m", &[3i32, 4]).unwrap();
    device.records("cells", cells).unwrap()
}
