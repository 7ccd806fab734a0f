#!/bin/sh
# Builds a benchmark when needed and runs it:  ./run bench NAME [its arguments]
#   peers    taut beside ODE, Bullet, MuJoCo, Simbody, DART and Siconos, which are installed first
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

case "${1-}" in
  peers) ;;
  *) echo "usage: ./run bench peers [arguments; --help lists them]" >&2; exit 2 ;;
esac
shift

"$root/scripts/install-dependencies.sh" --peers
"$root/scripts/build.sh" release peers -DTAUT_PEERS=ON
export OPENBLAS_NUM_THREADS=1  # Siconos is linked with it: one core for all
exec "$root/build/release/bin/peers" "$@"
