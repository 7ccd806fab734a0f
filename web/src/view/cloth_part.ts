// Cloth: smoothly shaded, the two sides told apart, coloured by a number per vertex if asked for.

import { BackSide, BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, FrontSide, Group, Mesh, MeshStandardMaterial } from 'three';
import type { StateFrame, SurfaceTopology } from '../net/frames.ts';
import { material, type Look } from './look.ts';
import type { ScalarColours } from './scalar_colours.ts';

export class ClothPart {
  readonly group = new Group();
  /** Front and back. */
  readonly pickable: Mesh[];
  private readonly geometry = new BufferGeometry();
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly colours: Float32Array;
  private readonly materials: MeshStandardMaterial[];
  private readonly natural: Color[];
  private isColoured = false;

  constructor(
    readonly surface: SurfaceTopology,
    look: Look,
  ) {
    const count = surface.vertices.length;
    this.positions = new Float32Array(3 * count);
    this.normals = new Float32Array(3 * count);
    this.colours = new Float32Array(3 * count).fill(1);
    for (const [name, array] of Object.entries({ position: this.positions, normal: this.normals, color: this.colours }))
      this.geometry.setAttribute(name, new BufferAttribute(array, 3).setUsage(DynamicDrawUsage));
    this.geometry.setIndex(new BufferAttribute(surface.triangles, 1));
    const { colours } = look;
    const fabric = { roughness: 0.85, metalness: 0, vertexColors: true, depthWrite: true };
    const back = look.tint?.clone().lerp(new Color(colours.background), 0.3) ?? new Color(colours.clothBack);
    this.materials = [
      material(look, colours.cloth, { ...fabric, side: FrontSide }),
      material({ ...look, tint: back }, back, { ...fabric, side: BackSide }),
    ];
    this.natural = this.materials.map((x) => x.color.clone());
    this.pickable = this.materials.map((each) => new Mesh(this.geometry, each));
    for (const mesh of this.pickable) {
      mesh.frustumCulled = false;
      mesh.receiveShadow = true;
      this.group.add(mesh);
    }
    this.pickable[0]!.castShadow = look.opacity === 1;
    this.materials[0]!.shadowSide = 2; // both: a thin sheet shades with either
  }

  update(state: StateFrame, scalars: ScalarColours | null): void {
    const { vertices, triangles } = this.surface;
    const { positions, normals } = this;
    for (let i = 0; i < vertices.length; ++i) {
      const at = 3 * vertices[i]!;
      positions[3 * i] = state.particles[at]!;
      positions[3 * i + 1] = state.particles[at + 1]!;
      positions[3 * i + 2] = state.particles[at + 2]!;
    }
    smoothNormals(positions, triangles, normals);
    this.geometry.getAttribute('position').needsUpdate = true;
    this.geometry.getAttribute('normal').needsUpdate = true;
    this.geometry.boundingSphere = null; // else picking uses the old one
    this.geometry.boundingBox = null;
    this.paint(state, scalars);
  }

  private paint(state: StateFrame, scalars: ScalarColours | null): void {
    const values = scalars ? state.scalars : null;
    if (!values && !this.isColoured) return;
    if (values && scalars) {
      const colour = new Color();
      const { vertices } = this.surface;
      for (let i = 0; i < vertices.length; ++i) scalars.colour(values[vertices[i]!] ?? 0, colour).toArray(this.colours, 3 * i);
    } else this.colours.fill(1);
    this.isColoured = values !== null;
    this.materials.forEach((each, i) => each.color.copy(this.isColoured ? white : this.natural[i]!));
    this.geometry.getAttribute('color').needsUpdate = true;
  }
}

const white = new Color('#ffffff');

/** The mean of the normals of the triangles around, each with its area as weight. */
function smoothNormals(p: Float32Array, triangles: Uint32Array, n: Float32Array): void {
  n.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t]!;
    const b = 3 * triangles[t + 1]!;
    const c = 3 * triangles[t + 2]!;
    const ux = p[b]! - p[a]!;
    const uy = p[b + 1]! - p[a + 1]!;
    const uz = p[b + 2]! - p[a + 2]!;
    const vx = p[c]! - p[a]!;
    const vy = p[c + 1]! - p[a + 1]!;
    const vz = p[c + 2]! - p[a + 2]!;
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    for (const corner of [a, b, c]) {
      n[corner] = n[corner]! + x;
      n[corner + 1] = n[corner + 1]! + y;
      n[corner + 2] = n[corner + 2]! + z;
    }
  }
  for (let i = 0; i < n.length; i += 3) {
    const size = Math.hypot(n[i]!, n[i + 1]!, n[i + 2]!) || 1;
    n[i] = n[i]! / size;
    n[i + 1] = n[i + 1]! / size;
    n[i + 2] = n[i + 2]! / size;
  }
}
