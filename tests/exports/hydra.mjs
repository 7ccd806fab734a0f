// Opens USD files with Pixar's own library, and compares what its renderer gets to draw with what
// the run had.
//   node --require hydra_worker.cjs hydra.mjs WEB EXPECTED.json
// EXPECTED has for each file the time codes; for each prim that is drawn its matrices at these, and
// for a cloth its points. Exits with 77 where the library is not installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const [web, expectations] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(web, 'package.json'));
let folder;
try {
  folder = join(dirname(require.resolve('three-usdz-loader/package.json')), 'external');
} catch {
  process.exit(77);
}
const faults = [];
const bytes = (file) => readFileSync(join(folder, file));
const usd = await require(join(folder, 'emHdBindings.js'))({
  wasmBinary: bytes('emHdBindings.wasm'),
  getPreloadedPackage: () => new Uint8Array(bytes('emHdBindings.data')).buffer,
  print() {},
  printErr(text) {
    // This build leaves out plugins that its own schemas name.
    if (!/Failed to find plugin|pluginFactory/.test(text)) faults.push(text);
  },
}, folder);
await usd.ready;

for (const [i, expected] of JSON.parse(readFileSync(expectations, 'utf8')).entries()) check(expected, i);
for (const fault of faults.slice(0, 20)) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

/** What Hydra, USD's renderer, is given to draw. */
function canvas() {
  const drawn = new Map();
  const createRPrim = (type, id) => {
    const prim = { type };
    drawn.set(id, prim);
    return {
      updatePoints: (points) => { prim.points = Float64Array.from(points); },
      setTransform: (matrix) => { prim.matrix = Float64Array.from(matrix); },
      updateIndices: (indices) => { prim.indices = Array.from(indices); },
      updateNormals() {}, updatePrimvar() {}, setMaterial() {}, commit() {},
    };
  };
  const createSPrim = () => ({ updateNode() {}, updateFinished() {} });
  return { drawn, createRPrim, createSPrim, createBPrim() {}, CommitResources() {}, setDriver() {} };
}

function check(expected, number) {
  const fault = (text) => faults.push(`${expected.file}: ${text}`);
  const name = `${number}.usda`;
  usd.FS.createDataFile('/', name, new Uint8Array(readFileSync(expected.file)), true, true, true);
  const { drawn, ...delegate } = canvas();
  const before = faults.length;
  const driver = new usd.HdWebSyncDriver(delegate, name);
  driver.Draw();
  if (faults.length > before) fault('the lines before this one are about it');
  const wanted = (expected.drawn ?? Object.keys(expected.prims)).sort();
  if (String([...drawn.keys()].sort()) !== String(wanted)) fault(`has ${[...drawn.keys()]}, not ${wanted}`);
  for (const [id, { points, indices }] of drawn)
    if (indices?.some((k) => !(3 * k < points?.length))) fault(`${id}: a face has a vertex that is not there`);
  if (expected.codes) play(expected, driver, drawn, fault);
  usd.FS.unlink(name);
}

function play({ codes, end, rate, prims, points, box, tolerance }, driver, drawn, fault) {
  const stage = driver.GetStage();
  if (Math.abs(stage.GetEndTimeCode() - end) > 1e-5) fault(`ends at ${stage.GetEndTimeCode()}, not ${end}`);
  if (stage.GetTimeCodesPerSecond() !== rate) fault(`has ${stage.GetTimeCodesPerSecond()} frames per second`);
  const apart = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
  for (const [t, code] of codes.entries()) {
    driver.SetTime(code);
    driver.Draw();
    for (const [id, matrices] of Object.entries(prims)) {
      const away = apart(matrices[t].flat(), drawn.get(id).matrix);
      if (!(away <= tolerance)) fault(`${id} at ${code} is ${away} away`);
    }
    for (const [id, places] of Object.entries(points)) {
      const found = drawn.get(id).points, wanted = places[t].flat();
      if (found.length !== wanted.length) fault(`${id} has ${found.length / 3} vertices`);
      else if (!(apart(wanted, found) <= tolerance)) fault(`${id} at ${code}: a vertex is ${apart(wanted, found)} away`);
    }
    if (t === 0 && box) bounds(box, drawn, fault);
  }
}

/** Round shapes have few corners here, so their sizes are compared roughly. */
function bounds(box, drawn, fault) {
  const found = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const { points, matrix: m } of drawn.values())
    for (let i = 0; i < points.length; i += 3)
      for (let k = 0; k < 3; ++k) {
        const x = points[i] * m[k] + points[i + 1] * m[4 + k] + points[i + 2] * m[8 + k] + m[12 + k];
        found[0][k] = Math.min(found[0][k], x);
        found[1][k] = Math.max(found[1][k], x);
      }
  const size = Math.max(...box[1].map((x, k) => x - box[0][k]));
  for (let k = 0; k < 3; ++k)
    for (const side of [0, 1])
      if (!(Math.abs(found[side][k] - box[side][k]) <= 0.03 * size)) fault(`reaches to ${found[side]}, not ${box[side]}`);
}
