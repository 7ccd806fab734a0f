#!/bin/sh
# Builds a benchmark when needed and runs it:  ./run bench NAME [its arguments]
#   peers    taut beside ODE, Bullet, MuJoCo, Simbody and DART, which are installed first
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

case "${1-}" in
  peers) ;;
  *) echo "usage: ./run bench peers [arguments; --help lists them]" >&2; exit 2 ;;
esac
shift

"$root/scripts/install-dependencies.sh" --peers
"$root/scripts/build.sh" release peers -DTAUT_PEERS=ON
exec "$root/build/release/bin/peers" "$@"
