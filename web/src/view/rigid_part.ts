// Rigid bodies with their shapes, or the boxes of their inertia; and the shapes of the world.

import {
  BoxGeometry,
  Color,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PlaneGeometry,
  Vector3,
  type BufferGeometry,
  type MeshStandardMaterialParameters,
} from 'three';
import type { StateFrame } from '../net/frames.ts';
import type { Quaternion, ShapeInfo, Vector } from '../net/protocol.ts';
import { material, type Look } from './look.ts';
import { bodyColour } from './palette.ts';
import { orientation, type SceneModel } from './scene_model.ts';
import { shapeGeometry, visualGeometry } from './shape_geometry.ts';

const sharpEdge = 30; // degrees between faces from which an edge is drawn

export class RigidPart {
  readonly group = new Group();
  /** What can be picked; `userData.body` says whose it is. */
  readonly pickable: Mesh[] = [];
  private readonly bodies: Group[] = []; // in the order of the scene
  private readonly fixed = new Group(); // the world's
  private count = 0; // of meshes

  constructor(
    private readonly model: SceneModel,
    private readonly look: Look,
    withWorld: boolean,
    /** Bodies that something else is drawn for; they can be picked all the same. */
    private readonly hidden: ReadonlySet<number>,
  ) {
    const { rigid } = model.message;
    const first = model.particleCount;
    rigid.forEach((_, index) => {
      this.bodies.push(new Group());
      this.addShapes(first + index);
    });
    if (withWorld) this.addShapes(-1);
    this.group.add(this.fixed, ...this.bodies);
    const seen = new Set(this.pickable.map((mesh) => mesh.userData['body'] as number));
    // Among shapes, such a box is no more than a hint.
    const hint = seen.size ? { transparent: true, opacity: 0.4 * look.opacity, depthWrite: false } : {};
    rigid.forEach(({ box }, index) => {
      if (seen.has(first + index)) return;
      this.add(first + index, new BoxGeometry(...this.sensible(box.size)), [0, 0, 0], box.orientation, bodyColour(index), hint);
    });
  }

  update(state: StateFrame): void {
    const count = this.model.message.rigid.length;
    for (let index = 0; index < count; ++index) {
      const body = this.bodies[index];
      if (!body) continue;
      body.position.fromArray(state.rigid, 7 * index);
      body.quaternion.copy(orientation(state, 7 * index));
    }
  }

  /** The box of a plate or a rod is flat or thin; it should be seen all the same. */
  private sensible(size: Vector): Vector {
    const largest = Math.max(...size);
    return size.map((edge) => Math.max(edge, 0.02 * largest)) as Vector;
  }

  private addShapes(body: number): void {
    const { shapes, visuals } = this.model.message;
    const natural = body < 0 ? new Color(this.look.colours.worldShape) : bodyColour(body - this.model.particleCount);
    // What a robot looks like hides what it touches with.
    const seen = visuals.filter((visual) => visual.body === body && (visual.shape !== 'mesh' || typeof visual.mesh === 'number'));
    for (const visual of seen) {
      const geometry = visualGeometry(visual, this.model.meshes);
      const [red, green, blue, opacity] = visual.color;
      const more = opacity < 1 ? { transparent: true, opacity: opacity * this.look.opacity } : {};
      const colour = new Color().setRGB(red, green, blue, 'srgb');
      if (geometry) this.add(body, geometry, visual.position, visual.orientation, colour, more);
    }
    if (seen.length) return;
    for (const shape of shapes) {
      if (shape.body !== body) continue;
      if (shape.type === 'plane') this.addPlane(shape, natural);
      const geometry = shapeGeometry(shape, this.model.meshes);
      if (geometry) this.add(body, geometry, shape.position, shape.orientation, natural, {}, shape.name);
    }
  }

  /** An endless plane that is not the ground: a part of it, seen from outside only, so that it hides nothing. */
  private addPlane(shape: ShapeInfo, colour: Color): void {
    const up = new Vector3(...this.model.message.up);
    const [w, x, y, z] = shape.orientation;
    const normal = new Vector3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
    if (shape.body < 0 && normal.dot(up) > 0.9999) return;
    const { min, max } = this.model.message.box;
    const size = 1.6 * new Vector3(...max).distanceTo(new Vector3(...min));
    const more = { transparent: true, opacity: 0.55 };
    const mesh = this.add(shape.body, new PlaneGeometry(size, size), shape.position, shape.orientation, colour, more, shape.name);
    mesh.userData['endless'] = true;
  }

  private add(
    body: number,
    geometry: BufferGeometry,
    position: Vector,
    turned: Quaternion,
    colour: Color,
    more: MeshStandardMaterialParameters = {},
    name?: string,
  ): Mesh {
    const tinted: Look = body < 0 ? { ...this.look, tint: null, opacity: 1 } : this.look;
    const mesh = new Mesh(geometry, material(tinted, colour, { vertexColors: geometry.hasAttribute('color'), ...more }));
    // Faces of two parts in one plane: one of them wins, everywhere.
    const rank = this.count++ % 64;
    Object.assign(mesh.material, { polygonOffset: true, polygonOffsetUnits: -4 * rank });
    mesh.position.set(...position);
    mesh.quaternion.set(turned[1], turned[2], turned[3], turned[0]);
    mesh.castShadow = tinted.opacity === 1 && !more.transparent;
    mesh.receiveShadow = true;
    mesh.userData['body'] = body;
    if (name) mesh.userData['shape'] = name;
    if (!geometry.hasAttribute('color') && tinted.opacity === 1 && !more.transparent) mesh.add(outline(geometry));
    (body < 0 ? this.fixed : this.bodies[body - this.model.particleCount])?.add(mesh);
    if (body >= 0) this.pickable.push(mesh);
    if (this.hidden.has(body)) {
      mesh.visible = false;
      mesh.userData['hidden'] = true;
    }
    return mesh;
  }
}

function outline(geometry: BufferGeometry): LineSegments {
  return new LineSegments(
    new EdgesGeometry(geometry, sharpEdge),
    new LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.28 }),
  );
}
