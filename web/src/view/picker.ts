// What is under the pointer: a body, a vertex of cloth, a joint or a link.

import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { Actor } from './actor.ts';
import type { Stage } from './stage.ts';

export interface Picked {
  run: number;
  /** Where it was hit, in the coordinates of the scene. */
  point: Vector3;
  body?: number;
  /** Number of the joint in the scene's list. */
  joint?: number;
  /** Number of the link in the scene's list. */
  link?: number;
}

const nearParticle = 14; // pixels
const nearLine = 7;

interface Ray {
  run: number | null;
  pointer: Vector2;
  tile: { width: number; height: number };
}

export class Picker {
  private readonly caster = new Raycaster();

  constructor(private readonly stage: Stage) {}

  /** `x`, `y`: CSS pixels from the top left of the canvas. */
  pick(x: number, y: number): Picked | null {
    const ray = this.aim(x, y);
    if (!ray) return null;
    const actors = this.stage.actors.filter((actor) => actor.state && (ray.run === null || actor.run === ray.run));
    let best: { picked: Picked; distance: number } | null = null;
    for (const actor of actors) {
      const found = this.solid(actor) ?? this.particle(actor, ray);
      if (found && (!best || found.distance < best.distance)) best = found;
    }
    if (best) return best.picked;
    for (const actor of actors) {
      const line = this.line(actor, ray);
      if (line) return line;
    }
    return null;
  }

  /** Where the pointer is in the plane through a point that faces the camera; for dragging. */
  follow(x: number, y: number, through: Vector3): Vector3 | null {
    if (!this.aim(x, y)) return null;
    const normal = this.stage.rig.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, this.toDisplay(through.clone()));
    const at = this.caster.ray.intersectPlane(plane, new Vector3());
    return at && this.toScene(at);
  }

  /** The direction in which the camera looks, in the scene. */
  get viewDirection(): Vector3 {
    return this.toScene(this.stage.rig.camera.getWorldDirection(new Vector3()));
  }

  /** Where a point of the scene is on the canvas, CSS pixels; in the tile of a run. */
  project(point: Vector3, run = 0): { x: number; y: number; isInFront: boolean } {
    const list = this.stage.tileList;
    const tile = list[list.length > 1 ? run : 0] ?? { x: 0, y: 0, width: 1, height: 1 };
    const { camera } = this.stage.rig;
    this.stage.rig.setAspect(tile.width / tile.height);
    camera.updateMatrixWorld();
    const at = this.toDisplay(point.clone()).project(camera);
    return {
      x: tile.x + ((at.x + 1) / 2) * tile.width,
      y: tile.y + ((1 - at.y) / 2) * tile.height,
      isInFront: at.z < 1,
    };
  }

  private aim(x: number, y: number): Ray | null {
    const list = this.stage.tileList;
    const index = list.findIndex((t) => x >= t.x && x < t.x + t.width && y >= t.y && y < t.y + t.height);
    const tile = list[index];
    if (!tile) return null;
    const pointer = new Vector2(((x - tile.x) / tile.width) * 2 - 1, 1 - ((y - tile.y) / tile.height) * 2);
    const { camera } = this.stage.rig;
    this.stage.rig.setAspect(tile.width / tile.height);
    camera.updateMatrixWorld();
    this.caster.setFromCamera(pointer, camera);
    return { run: list.length > 1 ? index : null, pointer, tile };
  }

  private toScene(v: Vector3): Vector3 {
    return this.stage.framing ? v.applyQuaternion(this.stage.framing.turn.clone().invert()) : v;
  }

  private toDisplay(v: Vector3): Vector3 {
    return this.stage.framing ? v.applyQuaternion(this.stage.framing.turn) : v;
  }

  private solid(actor: Actor): { picked: Picked; distance: number } | null {
    actor.group.updateWorldMatrix(true, true);
    const hits = this.caster.intersectObjects([...actor.solids, ...actor.sheets.flatMap((sheet) => sheet.pickable)], false);
    const hit = hits[0];
    if (!hit) return null;
    const point = this.toScene(hit.point.clone());
    const sheet = actor.sheets.find((each) => each.pickable.some((mesh) => mesh === hit.object));
    if (!sheet) return { picked: { run: actor.run, point, body: hit.object.userData['body'] as number }, distance: hit.distance };
    // The nearest corner of the triangle that was hit.
    const corners = hit.face ? [hit.face.a, hit.face.b, hit.face.c] : [];
    const bodies = corners.map((corner) => sheet.surface.vertices[corner] ?? 0);
    const places = bodies.map((body) => actor.model.position(actor.state!, body, new Vector3()));
    const distances = places.map((place) => place.distanceTo(point));
    const nearest = distances.indexOf(Math.min(...distances));
    return { picked: { run: actor.run, point: places[nearest]!, body: bodies[nearest]! }, distance: hit.distance };
  }

  private onScreen(place: Vector3): Vector3 {
    return this.toDisplay(place).project(this.stage.rig.camera);
  }

  private particle(actor: Actor, { pointer, tile }: Ray): { picked: Picked; distance: number } | null {
    const at = new Vector3();
    let nearest = nearParticle;
    let found: { picked: Picked; distance: number } | null = null;
    for (const body of actor.pickableParticles) {
      actor.model.position(actor.state!, body, at);
      this.onScreen(at);
      const away = Math.hypot(((at.x - pointer.x) * tile.width) / 2, ((at.y - pointer.y) * tile.height) / 2);
      if (away >= nearest || at.z >= 1) continue;
      nearest = away;
      const point = actor.model.position(actor.state!, body, new Vector3());
      const distance = this.toDisplay(point.clone()).distanceTo(this.stage.rig.camera.position);
      found = { picked: { run: actor.run, point, body }, distance };
    }
    return found;
  }

  private line(actor: Actor, ray: Ray): Picked | null {
    const { model, state, run } = actor;
    if (!state) return null;
    for (const [index, joint] of model.message.joints.entries()) {
      const point = model.place(state, joint.b.body, joint.b.at, new Vector3());
      if (this.pixels(point, point, ray) < nearParticle) return { run, point, joint: index };
    }
    let nearest = nearLine;
    let found: Picked | null = null;
    (model.links ?? []).forEach((link, index) => {
      const a = model.place(state, link.a, link.atA, new Vector3());
      const b = model.place(state, link.b, link.atB, new Vector3());
      const away = this.pixels(a, b, ray);
      if (away >= nearest) return;
      nearest = away;
      found = { run, point: a.add(b).multiplyScalar(0.5), link: index };
    });
    return found;
  }

  /** Distance of the pointer from a segment, in pixels. */
  private pixels(a: Vector3, b: Vector3, { pointer, tile }: Ray): number {
    const p = this.onScreen(a.clone());
    const q = this.onScreen(b.clone());
    if (p.z >= 1 || q.z >= 1) return Infinity;
    const scale = (v: { x: number; y: number }) => new Vector2((v.x * tile.width) / 2, (v.y * tile.height) / 2);
    const [from, to, at] = [scale(p), scale(q), scale(pointer)];
    const along = to.clone().sub(from);
    const share = along.lengthSq() > 0 ? Math.min(1, Math.max(0, at.clone().sub(from).dot(along) / along.lengthSq())) : 0;
    return at.distanceTo(from.addScaledVector(along, share));
  }
}
