// Geometries of the shapes of scenes and robots.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  SphereGeometry,
} from 'three';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import type { MeshTopology } from '../net/frames.ts';
import type { ShapeInfo, VisualInfo } from '../net/protocol.ts';

type Meshes = ReadonlyMap<number, MeshTopology>;

/** Radius of a rod, of half its length: thinner ones could not be seen. */
const thinnest = 0.008;

/** Null for planes, which have no end. */
export function shapeGeometry(shape: ShapeInfo, meshes: Meshes): BufferGeometry | null {
  const [a, b, c] = shape.size;
  const r = shape.radius;
  switch (shape.type) {
    case 'plane':
      return null;
    case 'sphere':
      return quartered(new SphereGeometry(r, 32, 24), true);
    case 'capsule':
      return quartered(upright(new CapsuleGeometry(Math.max(r, thinnest * c), 2 * c, 10, 24)));
    case 'box':
      return r > 0
        ? new RoundedBoxGeometry(2 * (a + r), 2 * (b + r), 2 * (c + r), 3, r)
        : new BoxGeometry(2 * a, 2 * b, 2 * c);
    case 'cylinder':
      return quartered(upright(new CylinderGeometry(Math.max(a + r, thinnest * c), Math.max(a + r, thinnest * c), 2 * (c + r), 40)));
    case 'cone':
      return quartered(upright(new ConeGeometry(a + r, 2 * (c + r), 40)));
    case 'ellipsoid':
      return quartered(new SphereGeometry(1, 36, 28).scale(a + r, b + r, c + r), true);
    default:
      return polyhedron(shape, meshes);
  }
}

export function visualGeometry(visual: VisualInfo, meshes: Meshes): BufferGeometry | null {
  const [a, b, c] = visual.size;
  switch (visual.shape) {
    case 'box':
      return new BoxGeometry(a, b, c);
    case 'cylinder':
      return upright(new CylinderGeometry(a, a, c, 40));
    case 'sphere':
      return new SphereGeometry(a, 32, 24);
    case 'capsule':
      return upright(new CapsuleGeometry(a, c, 10, 24));
    case 'ellipsoid':
      return new SphereGeometry(1, 36, 28).scale(a, b, c);
    case 'mesh': {
      const mesh = typeof visual.mesh === 'number' ? meshes.get(visual.mesh) : undefined;
      return mesh ? triangles(mesh.vertices, mesh.triangles).scale(a, b, c) : null;
    }
  }
}

/** three.js has cylinders along y, taut along z. */
function upright<T extends BufferGeometry>(geometry: T): T {
  return geometry.rotateX(Math.PI / 2) as T;
}

function polyhedron(shape: ShapeInfo, meshes: Meshes): BufferGeometry | null {
  if (shape.mesh !== undefined) {
    const mesh = meshes.get(shape.mesh);
    return mesh ? triangles(mesh.vertices, mesh.triangles) : null;
  }
  if (!shape.vertices || !shape.faces) return null;
  const index = shape.faces.flatMap((face) =>
    face.slice(2).flatMap((_, i) => [face[0] ?? 0, face[i + 1] ?? 0, face[i + 2] ?? 0]),
  );
  return triangles(Float32Array.from(shape.vertices.flat()), Uint32Array.from(index));
}

/** With a normal per triangle: edges of hulls and meshes stay sharp. */
function triangles(vertices: Float32Array, index: Uint32Array): BufferGeometry {
  const indexed = new BufferGeometry();
  indexed.setAttribute('position', new BufferAttribute(vertices, 3));
  indexed.setIndex(new BufferAttribute(index, 1));
  const geometry = indexed.toNonIndexed();
  geometry.computeVertexNormals();
  return geometry;
}

/** Round shapes get lighter and darker quarters, balls eighths: else nobody sees them roll. */
function quartered(geometry: BufferGeometry, isBall = false): BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = flat.getAttribute('position');
  const colours = new Float32Array(3 * position.count);
  for (let corner = 0; corner < position.count; corner += 3) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let i = corner; i < corner + 3; ++i) {
      x += position.getX(i);
      y += position.getY(i);
      z += position.getZ(i);
    }
    const shade = x * y * (isBall && z < 0 ? -1 : 1) > 0 ? 1 : 0.78;
    colours.fill(shade, 3 * corner, 3 * corner + 9);
  }
  flat.setAttribute('color', new BufferAttribute(colours, 3));
  return flat;
}
