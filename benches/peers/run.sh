#!/usr/bin/env bash
# Measures the fast engine against OpenCL runtimes on this processor. See README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$(cd "$here/../.." && pwd)/target}
installed=$target/peers

# Intel's runtime and a loader.
variables=$("$here/../../.ci/opencl") && eval "$variables" || echo "Intel's runtime cannot be installed" >&2

# pocl, from Debian.
if [ ! -e /etc/OpenCL/vendors/pocl.icd ]; then
    [ "$(id -u)" = 0 ] || sudo=sudo
    ${sudo:-} apt-get update -q >&2 || true
    ${sudo:-} apt-get install -qy --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 >&2 ||
        echo "pocl cannot be installed" >&2
fi

# Registers both in one folder of their own.
rm -rf "$installed/vendors"
mkdir -p "$installed/vendors"
cp -f /etc/OpenCL/vendors/pocl.icd "$installed/vendors/" 2>/dev/null || true
[ -z "${OCL_ICD_VENDORS:-}" ] || cp -f "$OCL_ICD_VENDORS"/*.icd "$installed/vendors/" 2>/dev/null || true
export OCL_ICD_VENDORS="$installed/vendors"
# Every build is a cold one.
export POCL_KERNEL_CACHE=0

(cd "$here" && cargo build --quiet --release -p campanile-peers -p campanile-cli)
# Every engine uses as many threads as it has processors: two for all.
two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
exec taskset -c "$two" "$target/release/campanile-peers" "$@"
