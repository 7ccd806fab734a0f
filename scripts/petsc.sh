#!/bin/sh
# Builds the engine for cloth on several processes beside taut, in build/release, and runs it:
#   scripts/petsc.sh [arguments of taut]
#   PROCESSES=2 scripts/petsc.sh run cloth --engine petsc
#   scripts/petsc.sh bench [arguments]     bench/distributed/scaling.py
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
taut=$root/build/release/bin/taut

"$root/scripts/build.sh" release taut_cli -DTAUT_PETSC=ON
[ "${1-}" != bench ] || "$root/scripts/build.sh" release mpi_messages

# mpirun does not start as root unless it is told twice, and counts cores, not what is free.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

if [ "${1-}" = bench ]; then
  shift
  exec python3 "$root/bench/distributed/scaling.py" --taut "$taut" "$@"
fi
if [ "${PROCESSES:-1}" -gt 1 ]; then
  exec mpirun --oversubscribe -n "$PROCESSES" "$taut" "$@"
fi
exec "$taut" "$@"
