#!/usr/bin/env bash
# Measures the fast engine against OpenCL runtimes on this processor. See README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$(cd "$here/../.." && pwd)/target}
installed=$target/peers

# The loader and pocl, from Debian.
if [ ! -e /etc/OpenCL/vendors/pocl.icd ] || ! ldconfig -p | grep -q libOpenCL.so.1; then
    [ "$(id -u)" = 0 ] || sudo=sudo
    ${sudo:-} apt-get update -q >&2 || true
    ${sudo:-} apt-get install -qy --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 >&2 ||
        echo "pocl cannot be installed" >&2
fi

# Intel's runtime, from PyPI. It needs the compiler's libraries too, though it does not say so.
if [ ! -e "$installed/lib/libintelocl.so" ]; then
    python3 -m venv "$installed" && "$installed/bin/pip" -q install intel-opencl-rt intel-cmplr-lib-rt >&2 ||
        echo "Intel's runtime cannot be installed" >&2
fi

# Registers both in one folder of their own.
rm -rf "$installed/vendors"
mkdir -p "$installed/vendors"
cp -f /etc/OpenCL/vendors/pocl.icd "$installed/vendors/" 2>/dev/null || true
[ ! -e "$installed/lib/libintelocl.so" ] || echo "$installed/lib/libintelocl.so" >"$installed/vendors/intel.icd"
export OCL_ICD_VENDORS="$installed/vendors"
export LD_LIBRARY_PATH="$installed/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Debian has no libOpenCL.so without the development files.
loader=$(ldconfig -p | sed -n 's/.*libOpenCL.so.1 .*=> //p' | head -1)
export OPENCL_DYLIB_PATH="${OPENCL_DYLIB_PATH:-$loader}"
# Every build is a cold one.
export POCL_KERNEL_CACHE=0

(cd "$here" && cargo build --quiet --release -p campanile-peers -p campanile-cli)
# Every engine uses as many threads as it has processors: two for all.
two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
exec taskset -c "$two" "$target/release/campanile-peers" "$@"
