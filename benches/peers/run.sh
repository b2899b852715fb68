#!/usr/bin/env bash
# Measures the fast engine against OpenCL runtimes on this processor. See README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${CAMPANILE_PEERS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/campanile-peers}

# The loader and pocl, from Debian.
if [ ! -e /etc/OpenCL/vendors/pocl.icd ] || ! ldconfig -p | grep -q libOpenCL.so.1; then
    [ "$(id -u)" = 0 ] || sudo=sudo
    ${sudo:-} apt-get update -q >&2 || true
    ${sudo:-} apt-get install -qy --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 >&2 ||
        echo "pocl cannot be installed" >&2
fi

# Intel's runtime, from PyPI. It needs the compiler's libraries too, though it does not say so.
if [ ! -e "$cache/venv/lib/libintelocl.so" ]; then
    python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" -q install intel-opencl-rt intel-cmplr-lib-rt >&2 ||
        echo "Intel's runtime cannot be installed" >&2
fi

# Registers both in one folder of their own.
mkdir -p "$cache/vendors"
cp -f /etc/OpenCL/vendors/pocl.icd "$cache/vendors/" 2>/dev/null || true
echo "$cache/venv/lib/libintelocl.so" >"$cache/vendors/intel.icd"
export OCL_ICD_VENDORS="$cache/vendors"
export LD_LIBRARY_PATH="$cache/venv/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export OPENCL_DYLIB_PATH="${OPENCL_DYLIB_PATH:-$(ldconfig -p | sed -n 's/.*libOpenCL.so.1 .*=> //p' | head -1)}"
export POCL_KERNEL_CACHE=0

cargo build --quiet --release --manifest-path "$here/Cargo.toml" ${CARGO_BUILD_JOBS:+-j "$CARGO_BUILD_JOBS"}
target=${CARGO_TARGET_DIR:-$here/../../target}
# Every engine uses as many threads as it has processors: two for all.
two=$(taskset -pc $$ | sed 's/.*: //; s/-/ /; s/,/ /g' | awk '{ print $1 "," $1 + 1 }')
exec taskset -c "$two" "$target/release/campanile-peers" "$@"
