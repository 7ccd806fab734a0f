// The skin of a hand: one smooth surface around its limbs, as they are when the hand is held flat, and how much
// each limb moves each of its points.
//
// The surface is where a smooth union of capsules and a rounded box ends (their distances joined by a soft minimum),
// found on a grid by surface nets: one point per cell that the surface passes through, one quad per edge.

import { BufferAttribute, BufferGeometry, Matrix4, Quaternion, Vector3 } from 'three';
import type { HandInfo, ShapeInfo } from '../net/protocol.ts';

const cells = 50; // along the hand: 4 mm, which shading hides; of twice as many, all pictures without a GPU are slow
const softness = 0.35; // of a limb's thickness: how wide folds between limbs are filled
const reach = 0.55; // of a limb's thickness: how far beyond it a limb moves skin

interface Limb {
  /** From the hand held flat to the limb's shape. */
  inverse: Matrix4;
  /** Half sizes of the box inside, before it is rounded; a capsule has a length alone. */
  core: Vector3;
  radius: number;
  /** The thickness by which it counts. */
  width: number;
}

export interface Skin {
  geometry: BufferGeometry;
  /** Per limb, the inverse of where it is in the hand held flat. */
  inverses: Matrix4[];
}

/** From x, y, z, w, x, y, z. */
export function poseMatrix(numbers: ArrayLike<number>, at = 0, out = new Matrix4()): Matrix4 {
  const n = (i: number) => numbers[at + i] ?? 0;
  return out.compose(new Vector3(n(0), n(1), n(2)), new Quaternion(n(4), n(5), n(6), n(3)), new Vector3(1, 1, 1));
}

/** Finding a surface takes a tenth of a second; most hands are alike. */
const known = new Map<string, Skin>();
const mostKnown = 8;

/** `shapes`: of the whole scene. */
export function handSkin(hand: HandInfo, shapes: ShapeInfo[]): Skin | null {
  const limbShapes = hand.bodies.map((body) => shapes.find((each) => each.body === body));
  const key = JSON.stringify([hand.rest, limbShapes.map((shape) => shape && [shape.size, shape.radius, shape.position, shape.orientation])]);
  const skin = known.get(key) ?? makeSkin(hand, limbShapes);
  if (skin && known.size < mostKnown) known.set(key, skin);
  return skin;
}

function makeSkin(hand: HandInfo, shapes: (ShapeInfo | undefined)[]): Skin | null {
  const limbs: Limb[] = [];
  const inverses: Matrix4[] = [];
  for (const [i, shape] of shapes.entries()) {
    if (!shape) return null;
    const rest = poseMatrix(hand.rest[i] ?? []);
    inverses.push(rest.clone().invert());
    const [w, x, y, z] = shape.orientation;
    const own = new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
    limbs.push({
      inverse: rest.multiply(own).invert(),
      core: shape.type === 'capsule' ? new Vector3(0, 0, shape.size[2]) : new Vector3(...shape.size),
      radius: shape.radius,
      width: shape.radius,
    });
  }
  return { geometry: surface(limbs), inverses };
}

const local = new Vector3();

function distance(limb: Limb, place: Vector3): number {
  local.copy(place).applyMatrix4(limb.inverse);
  const x = Math.max(0, Math.abs(local.x) - limb.core.x);
  const y = Math.max(0, Math.abs(local.y) - limb.core.y);
  const z = Math.max(0, Math.abs(local.z) - limb.core.z);
  return Math.sqrt(x * x + y * y + z * z) - limb.radius;
}

/** Where a polynomial soft minimum of all distances is below 0, there is hand. */
function depth(limbs: Limb[], place: Vector3): number {
  let sum = Infinity;
  for (const limb of limbs) {
    const away = distance(limb, place);
    const k = softness * limb.width;
    if (sum - away > k) sum = away;
    else if (away - sum < k) {
      const share = 0.5 + (0.5 * (sum - away)) / k;
      sum += (away - sum) * share - k * share * (1 - share);
    }
  }
  return sum;
}

function surface(limbs: Limb[]): BufferGeometry {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  for (const limb of limbs) {
    const frame = limb.inverse.clone().invert();
    for (const sign of [-1, 1])
      for (const axis of [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)]) {
        const end = axis.multiplyScalar(sign * (limb.core.dot(axis) * sign * sign + limb.radius)).applyMatrix4(frame);
        low.min(end);
        high.max(end);
      }
  }
  const size = high.clone().sub(low);
  const cell = Math.max(size.x, size.y, size.z) / cells;
  low.subScalar(2.5 * cell);
  const [nx, ny, nz] = [size.x, size.y, size.z].map((length) => Math.ceil(length / cell) + 6) as [number, number, number];
  const field = new Float32Array(nx * ny * nz);
  const place = new Vector3();
  for (let k = 0, at = 0; k < nz; ++k)
    for (let j = 0; j < ny; ++j)
      for (let i = 0; i < nx; ++i, ++at) field[at] = depth(limbs, place.set(low.x + i * cell, low.y + j * cell, low.z + k * cell));
  const { points, index } = surfaceNet(field, [nx, ny, nz]);
  const position = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    position[i] = low.x + points[i]! * cell;
    position[i + 1] = low.y + points[i + 1]! * cell;
    position[i + 2] = low.z + points[i + 2]! * cell;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setIndex(index);
  addNormals(geometry, limbs, cell);
  addWeights(geometry, limbs);
  return geometry;
}

/** Points in units of cells, and triangles that face to where the field is above 0. */
function surfaceNet(field: Float32Array, [nx, ny, nz]: [number, number, number]): { points: number[]; index: number[] } {
  const step = [1, nx, nx * ny] as const;
  const points: number[] = [];
  const index: number[] = [];
  const pointOf = new Int32Array(field.length).fill(-1);
  const cornerAt = (at: number, corner: number) =>
    field[at + (corner & 1 ? step[0] : 0) + (corner & 2 ? step[1] : 0) + (corner & 4 ? step[2] : 0)]!;
  for (let k = 0; k + 1 < nz; ++k)
    for (let j = 0; j + 1 < ny; ++j)
      for (let i = 0; i + 1 < nx; ++i) {
        const at = i + nx * (j + ny * k);
        let [x, y, z, count] = [0, 0, 0, 0];
        for (let a = 0; a < 8; ++a)
          for (let bit = 1; bit < 8; bit <<= 1) {
            const b = a | bit;
            if (b === a) continue;
            const [from, to] = [cornerAt(at, a), cornerAt(at, b)];
            if (from < 0 === to < 0) continue;
            const share = from / (from - to);
            x += (a & 1) + (bit === 1 ? share : 0);
            y += ((a >> 1) & 1) + (bit === 2 ? share : 0);
            z += ((a >> 2) & 1) + (bit === 4 ? share : 0);
            ++count;
          }
        if (!count) continue;
        pointOf[at] = points.length / 3;
        points.push(i + x / count, j + y / count, k + z / count);
      }
  // Around each edge that the surface crosses are four cells.
  for (let k = 1; k + 1 < nz; ++k)
    for (let j = 1; j + 1 < ny; ++j)
      for (let i = 1; i + 1 < nx; ++i) {
        const at = i + nx * (j + ny * k);
        const isInside = field[at]! < 0;
        for (let axis = 0; axis < 3; ++axis) {
          if (isInside === field[at + step[axis]!]! < 0) continue;
          const [u, v] = [step[(axis + 1) % 3]!, step[(axis + 2) % 3]!];
          const [a, b, c, d] = [pointOf[at - u - v]!, pointOf[at - v]!, pointOf[at]!, pointOf[at - u]!];
          if (isInside) index.push(a, b, c, a, c, d);
          else index.push(a, c, b, a, d, c);
        }
      }
  return { points, index };
}

function addNormals(geometry: BufferGeometry, limbs: Limb[], cell: number): void {
  const position = geometry.getAttribute('position');
  const normals = new Float32Array(3 * position.count);
  const place = new Vector3();
  const normal = new Vector3();
  for (let i = 0; i < position.count; ++i) {
    for (let axis = 0; axis < 3; ++axis) {
      place.fromBufferAttribute(position, i).setComponent(axis, place.getComponent(axis) + 0.5 * cell);
      const ahead = depth(limbs, place);
      place.setComponent(axis, place.getComponent(axis) - cell);
      normal.setComponent(axis, ahead - depth(limbs, place));
    }
    normal.normalize().toArray(normals, 3 * i);
  }
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
}

/** The nearest limbs move a point, the nearer ones more. */
function addWeights(geometry: BufferGeometry, limbs: Limb[]): void {
  const position = geometry.getAttribute('position');
  const indices = new Uint16Array(4 * position.count);
  const weights = new Float32Array(4 * position.count);
  const place = new Vector3();
  for (let i = 0; i < position.count; ++i) {
    place.fromBufferAttribute(position, i);
    const away = limbs.map((limb) => distance(limb, place));
    const nearest = Math.min(...away);
    const counts = away
      .map((d, limb) => ({ limb, weight: Math.max(0, 1 - (d - nearest) / (reach * limbs[limb]!.width)) ** 2 }))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, 4);
    const sum = counts.reduce((total, { weight }) => total + weight, 0);
    counts.forEach(({ limb, weight }, k) => {
      indices[4 * i + k] = limb;
      weights[4 * i + k] = weight / sum;
    });
  }
  geometry.setAttribute('skinIndex', new BufferAttribute(indices, 4));
  geometry.setAttribute('skinWeight', new BufferAttribute(weights, 4));
}
