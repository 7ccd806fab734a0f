#!/bin/sh
# Installs the Python package into a virtual environment of its own, build/venv, and runs Python there:
#   scripts/python.sh                  opens a shell in which `import taut` works
#   scripts/python.sh SCRIPT ARGS…     runs a script; any arguments of python3 will do
# Debian's python3 is used, since its NumPy is; TAUT_PYTHON_PROGRAM names another one.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
"$root/scripts/install-dependencies.sh" --python

program=${TAUT_PYTHON_PROGRAM-}
if [ -z "$program" ]; then
  program=python3
  [ -x /usr/bin/python3 ] && program=/usr/bin/python3
fi

"$root/scripts/build.sh" release taut_python -DTAUT_PYTHON=ON \
  "-DPython3_EXECUTABLE=$("$program" -c 'import os, sys; print(os.path.realpath(sys.executable))')"
"$root/scripts/build.sh" release taut_cli

# Again only when something was built anew.
venv=$root/build/venv
module=$(find "$root/build/release/python/taut" "$root/build/release/bin/taut" "$root/build/web" \
  -newer "$venv/.installed" 2>/dev/null | head -n 1 || true)
if [ ! -f "$venv/.installed" ] || [ -n "$module" ]; then
  log=$root/build/venv.log
  {
    "$program" -m venv --clear --system-site-packages "$venv" &&
      "$venv/bin/python" -m pip install --no-index --no-deps --disable-pip-version-check "$root" &&
      touch "$venv/.installed"
  } >"$log" 2>&1 </dev/null || {
    tail -n 30 "$log" >&2
    echo "taut: the package could not be installed; the full log is $log" >&2
    exit 1
  }
fi

if [ $# -eq 0 ]; then
  echo "taut: import taut; docs/python.md shows what it can do" >&2
  exec "$venv/bin/python" -i -c 'import taut'
fi
exec "$venv/bin/python" "$@"
