// Opens glTF files with readers that are not taut's: the Khronos validator finds no fault, and what
// three.js plays is what the run had.
//   node validate.mjs WEB EXPECTED.json
// EXPECTED has for each file the times, and for each node that moves its places at these times; of
// a cloth, those of its vertices. Exits with 77 where the readers are not installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [web, expectations] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(web, 'package.json'));
let validator, three, loader;
try {
  validator = require('gltf-validator');
  three = await import(pathToFileURL(join(web, 'node_modules/three/build/three.module.js')));
  loader = await import(pathToFileURL(join(web, 'node_modules/three/examples/jsm/loaders/GLTFLoader.js')));
} catch {
  process.exit(77);
}
// What three.js takes from a browser.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};

const faults = [];
for (const expected of JSON.parse(readFileSync(expectations, 'utf8'))) {
  const { file } = expected;
  const bytes = new Uint8Array(readFileSync(file));
  const beside = (uri) => new Uint8Array(readFileSync(join(dirname(file), decodeURIComponent(uri))));
  const report = await validator.validateBytes(bytes, { uri: basename(file), externalResourceFunction: async (uri) => beside(uri) });
  for (const message of report.issues.messages)
    if (message.severity < 2) faults.push(`${file}: ${message.pointer}: ${message.message}`);
  if (expected.nodes) await play(expected, file.endsWith('.glb') ? bytes : embedded(bytes, beside));
}
for (const fault of faults.slice(0, 20)) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

/** With its buffers inside, because three.js would fetch them. */
function embedded(bytes, beside) {
  const json = JSON.parse(new TextDecoder().decode(bytes));
  for (const buffer of json.buffers ?? [])
    buffer.uri = `data:application/octet-stream;base64,${Buffer.from(beside(buffer.uri)).toString('base64')}`;
  return new TextEncoder().encode(JSON.stringify(json));
}

/** Compares with three.js' animation at each time. */
async function play({ file, times, nodes, up, tolerance }, bytes) {
  const fault = (text) => faults.push(`${file}: ${text}`);
  const gltf = await new loader.GLTFLoader().parseAsync(bytes.slice().buffer, '');
  const scene = gltf.scene;
  const objects = await Promise.all(gltf.parser.json.nodes.map((_, i) => gltf.parser.getDependency('node', i)));
  const { children } = gltf.parser.json.nodes[0];
  const named = (name) => children.filter((i) => gltf.parser.json.nodes[i].name === name).map((i) => objects[i]);
  const root = objects[0];
  const turned = new three.Vector3(...up).applyQuaternion(root.quaternion);
  if (turned.distanceTo(new three.Vector3(0, 1, 0)) > 1e-6) fault('its up is not the y axis');
  const mixer = new three.AnimationMixer(scene);
  for (const clip of gltf.animations) mixer.clipAction(clip).setLoop(three.LoopOnce, 1).play();
  for (const action of mixer._actions) action.clampWhenFinished = true;
  for (const [t, time] of times.entries()) {
    if (gltf.animations.length > 0) mixer.setTime(time);
    scene.updateMatrixWorld(true);
    for (const [name, places] of Object.entries(nodes)) {
      const shown = named(name).filter((object) => object.scale.x !== 0 || times.length === 1);
      const expected = places[t];
      const found = typeof expected[0] === 'number' ? [shown[0].position] : corners(shown.at(-1));
      const wanted = typeof expected[0] === 'number' ? [expected] : expected;
      if (found.length !== wanted.length) fault(`${name} has ${found.length} places, not ${wanted.length}`);
      wanted.forEach((place, i) => {
        const away = found[i]?.distanceTo(new three.Vector3(...place));
        if (!(away <= tolerance)) fault(`${name} ${i} at ${time} s is ${away} m away`);
      });
    }
  }
}

/** The vertices of a mesh with its morph targets. */
function corners(mesh) {
  const { position } = mesh.geometry.attributes;
  return Array.from({ length: position.count }, (_, i) => mesh.getVertexPosition(i, new three.Vector3()));
}
