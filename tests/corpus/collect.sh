#!/usr/bin/env bash
# Builds, times and profiles every sample of rules/ and every program of tests/corpus/src on the GPU of this machine.
#
#   tests/corpus/collect.sh [OUT]      OUT (default tests/corpus) receives times.csv, checksums.txt, device.txt, reports/
#
# Environment: STEPS ("build time profile"), ONLY (a regular expression for program names), SRC (/src: the sources are
# copied there, so that reports hold a neutral path), ARCH (sm_90), JOBS (processors).
# A source may carry its own flags in comments:  // build: nvcc flags   // ncu: ncu options (SECTIONS stands for ours)
# and  // edit: a sed expression that turns the file into what it was when it was profiled.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mkdir -p "${1:-$root/tests/corpus}" && cd "${1:-$root/tests/corpus}" && pwd)
src=${SRC:-/src}
bin=$src/bin
steps=${STEPS:-build time profile}
sections=""
for s in SpeedOfLight SpeedOfLight_RooflineChart ComputeWorkloadAnalysis MemoryWorkloadAnalysis \
    MemoryWorkloadAnalysis_Chart MemoryWorkloadAnalysis_Tables SchedulerStats WarpStateStats InstructionStats \
    LaunchStats Occupancy SourceCounters WorkloadDistribution; do
    sections="$sections --section $s"
done

programs() {  # the paths of the sources, relative to the root
    (cd "$root" && ls rules/*/*.cu tests/corpus/src/*.cu) | { grep -E "${ONLY:-.}" || true; }
}

named() {  # rules/memory/x.fixed.cu -> memory/x.fixed, tests/corpus/src/gemm.cu -> src/gemm
    local name=${1#rules/}
    name=${name#tests/corpus/}
    echo "${name%.cu}"
}

directive() { sed -n "s|^// $1: ||p" "$root/$2" | head -n 1; }

build_one() {
    local edit flags
    mkdir -p "$src/$(dirname "$1")" "$bin/$(dirname "$(named "$1")")"
    edit=$(directive edit "$1")
    flags=$(directive build "$1")
    sed -e "${edit:-}" "$root/$1" >"$src/$1"
    (cd / && nvcc ${flags:--O3 -std=c++17 -arch=${ARCH:-sm_90} -lineinfo} -o "$bin/$(named "$1")" "$src/$1")
}

time_one() {  # a program that fails is named, and the others go on
    local name
    name=$(named "$1")
    "$bin/$name" --time | sed -e "s|^|$name,|" -e 's/ /,/g' >>"$out/times.csv" || echo "failed: $name" >&2
    "$bin/$name" | sed -e "s|^checksum|$name|" >>"$out/checksums.txt"
}

profile_one() {
    local name options report
    name=$(named "$1")
    report=$out/reports/$name.ncu-rep
    options=$(directive ncu "$1")
    options=${options:-SECTIONS --profile-from-start off}
    mkdir -p "$(dirname "$report")"
    (cd "$bin" && env -i PATH="$PATH" HOME=/tmp ncu --clock-control none --import-source yes -f -o "$report" \
        ${options//SECTIONS/$sections} "$bin/$name") >"$out/ncu.log" 2>&1 || { echo "failed: $name"; tail -n 5 "$out/ncu.log"; } >&2
    if command -v zstd >/dev/null && [ -f "$report" ]; then
        zstd -q -19 -f --rm "$report" -o "${report}z"
    fi
}

describe_device() {
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit,memory.total --format=csv
    nvcc --version | grep release
    ncu --version | grep Version
} >"$out/device.txt"

export -f build_one named directive
export root src bin
describe_device
if [[ $steps == *build* ]]; then
    mkdir -p "$src/rules" && cp "$root/rules/sample.cuh" "$src/rules/"
    programs | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'set -euo pipefail; build_one {}'
fi
if [[ $steps == *time* ]]; then
    echo "program,kernel,median_us,min_us,max_us" >"$out/times.csv"
    : >"$out/checksums.txt"
    for p in $(programs); do time_one "$p"; done
fi
if [[ $steps == *profile* ]]; then
    for p in $(programs); do profile_one "$p"; done
    rm -f "$out/ncu.log"
fi
