#!/bin/sh
# Builds the documentation as a site, into results/docs: pages with search, films, and the references
# of C++ and Python. Installs what that needs.
#   scripts/build-docs.sh [--quick]    --quick: without films and references
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

if [ "${1-}" = --quick ]; then
  "$root/scripts/install-dependencies.sh" --docs
  exec /usr/bin/python3 "$root/docs/site/build.py" --out "$root/results/docs"
fi
"$root/scripts/install-dependencies.sh"
"$root/scripts/install-dependencies.sh" --docs
"$root/scripts/install-dependencies.sh" --render
"$root/scripts/build-page.sh"
"$root/scripts/python.sh" -c pass  # builds the package
exec /usr/bin/python3 "$root/docs/site/build.py" --out "$root/results/docs" --films \
  --taut "$root/build/release/bin/taut" --doxygen --stubs "$root/build/release/python/taut"
