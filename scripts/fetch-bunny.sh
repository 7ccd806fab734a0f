#!/bin/sh
# Fetches the Stanford bunny, the npm package "bunny" (1,839 vertices, 3,674 faces), for
# scenes/bunny/grasp_bunny.json: writes scenes/bunny/bunny.obj. Needs Node.js and npm.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
target="$root/scenes/bunny/bunny.obj"
[ -s "$target" ] && exit 0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent bunny@1.0.1 >/dev/null
tar xzf bunny-1.0.1.tgz
node -e '
  const { positions, cells } = require("./package/index.js");
  const lines = positions.map((p) => "v " + p.join(" "));
  for (const cell of cells) lines.push("f " + cell.map((i) => i + 1).join(" "));
  require("fs").writeFileSync("bunny.obj", lines.join("\n") + "\n");
'
mv bunny.obj "$target.new"
mv "$target.new" "$target"
