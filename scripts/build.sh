#!/bin/sh
# Configures and builds one preset, quietly: progress here, everything else in its build.log.
#   scripts/build.sh <preset> taut_cli    the library and the command line
#   scripts/build.sh <preset> all         the tests and benchmarks as well
#   scripts/build.sh <preset> <target> -DTAUT_…=ON    with options of CMake, which are kept
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
preset=$1
target=$2
shift 2
build=$root/build/$preset
log=$build/build.log

fail() {
  tail -n 40 "$log" >&2
  echo "taut: the build failed; its full log is $log" >&2
  exit 1
}

# True when the folder is configured, and for this source tree rather than one it was copied from.
configured() {
  [ -f "$build/build.ninja" ] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"
}

configure() {
  (cd "$root" && cmake --preset "$preset" "$@") >>"$log" 2>&1 || fail
}

# Shows ninja's "[12/80] Building …" lines: as one moving line on a terminal, else each tenth.
show_progress() {
  while IFS= read -r line; do
    case $line in
      "[0/"*) continue ;;  # looking for new files, which happens in every build
      "["*/*"] "*) step="${line%%]*}]" ;;
      *) continue ;;
    esac
    if [ -t 2 ]; then
      printf '\r\033[Ktaut: building %s %s' "$preset" "$step" >&2
    else
      case $step in
        "[1/"* | "["*0/*) echo "taut: building $preset $step" >&2 ;;
      esac
    fi
  done
  if [ -t 2 ]; then
    printf '\r\033[K' >&2
  fi
}

mkdir -p "$build"

# One build at a time in a folder; the lock ends with this script.
exec 9>"$build/.lock"
if command -v flock >/dev/null 2>&1; then
  flock 9
fi

: >"$log"
if ! configured; then
  echo "taut: configuring $preset (log: $log)" >&2
  if [ "$target" = all ]; then
    configure --fresh "$@"
  else
    configure --fresh -DTAUT_TESTS=OFF -DTAUT_BENCH=OFF "$@"
  fi
elif [ "$target" = all ]; then
  configure "$@"  # turns the tests on, when only the command line was built before
elif [ $# -gt 0 ]; then
  (cd "$root" && cmake "$@" "$build") >>"$log" 2>&1 || fail
fi

# The pipeline's status is show_progress's, so a build that succeeds leaves a file.
rm -f "$build/.built"
{
  # Ninja's own choice is two jobs more than there are cores, which only fight for the cache.
  cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)" --target "$target" 2>&1 &&
    touch "$build/.built"
} | tee -a "$log" | show_progress
[ -f "$build/.built" ] || fail
