#!/bin/sh
# Builds the viewer's page into build/web, if it is not there or older than its sources. Node.js and
# npm are installed first where they are missing; ./run without view or render needs neither.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
page=$root/build/web/index.html

# True when nothing in web/ is newer than the page.
is_built() {
  [ -f "$page" ] &&
    [ -z "$(find "$root/web" -name node_modules -prune -o -type f -newer "$page" -print | head -n 1)" ]
}
is_built && exit 0

"$root/scripts/install-dependencies.sh" --page
mkdir -p "$root/build/web"
log=$root/build/web.log
echo "taut: building the viewer's page (log: $log)" >&2
if (cd "$root/web" && npm ci --omit=dev --no-audit --no-fund && npm run build) >"$log" 2>&1 </dev/null; then
  touch "$page"
else
  tail -n 20 "$log" >&2
  echo "taut: the page could not be built; the full log is $log" >&2
  exit 1
fi
