// How large a scene is, where its ground is, and from where to look at it.

import { Box3, Quaternion, Vector3 } from 'three';
import type { StateFrame } from '../net/frames.ts';
import type { SceneModel } from './scene_model.ts';

export interface Framing {
  /** From the scene to what is displayed, where y is up. */
  turn: Quaternion;
  /** What should be in view, displayed. */
  box: Box3;
  extent: number; // m
  ground: { height: number; solid: boolean };
  direction: Vector3;
}

/** `drawn`: the box of what there is at this state, as it is displayed. */
export function frame(model: SceneModel, state: StateFrame, drawn: Box3): Framing {
  const turn = uprightTurn(model);
  const start = drawn.isEmpty() ? startBox(model) : drawn;
  const extent = Math.max(start.getSize(new Vector3()).length(), 1e-3);
  const solid = groundHeight(model, turn);
  const box = start.clone();
  reachOfAnchors(model, state, turn, box);
  reachOfHands(model, turn, box);
  const lowest = box.min.y - 0.04 * extent;
  const height = solid === null || solid < lowest - 3 * extent ? lowest : solid;
  return {
    turn,
    box,
    extent: Math.max(box.getSize(new Vector3()).length() * 0.6, extent * 0.6, 1e-3),
    ground: { height, solid: height === solid },
    direction: viewDirection(box),
  };
}

/** From the scene, where any direction may be up, to what is displayed. */
export function uprightTurn({ message }: SceneModel): Quaternion {
  return new Quaternion().setFromUnitVectors(new Vector3(...message.up), new Vector3(0, 1, 0));
}

/** As the server says, displayed. */
export function startBox(model: SceneModel): Box3 {
  const { min, max } = model.message.box;
  return displayed(new Box3(new Vector3(...min), new Vector3(...max)), uprightTurn(model));
}

function displayed(box: Box3, turn: Quaternion): Box3 {
  const out = new Box3();
  for (let i = 0; i < 8; ++i) {
    const corner = new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
    out.expandByPoint(corner.applyQuaternion(turn));
  }
  return out;
}

/** The highest horizontal plane of the world. */
function groundHeight(model: SceneModel, turn: Quaternion): number | null {
  let height: number | null = null;
  for (const shape of model.message.shapes) {
    if (shape.type !== 'plane' || shape.body >= 0) continue;
    const [w, x, y, z] = shape.orientation;
    const normal = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(x, y, z, w)).applyQuaternion(turn);
    if (normal.y < 0.9999) continue;
    const at = new Vector3(...shape.position).applyQuaternion(turn).y;
    if (height === null || at > height) height = at;
  }
  return height;
}

/** What hangs from the world will swing: the lowest place it can reach belongs into the picture. */
function reachOfAnchors(model: SceneModel, state: StateFrame, turn: Quaternion, box: Box3): void {
  const anchors: Vector3[] = [];
  for (const link of model.links ?? []) {
    if (link.a < 0) anchors.push(new Vector3(...link.atA).applyQuaternion(turn));
    else if (link.b < 0) anchors.push(new Vector3(...link.atB).applyQuaternion(turn));
    if (anchors.length > 200) break;
  }
  for (const { pin, bodies } of model.message.constraints)
    if (pin && anchors.length < 400) for (const body of bodies) if (body >= 0) anchors.push(model.position(state, body).applyQuaternion(turn));
  const size = box.getSize(new Vector3());
  const wide = Math.max(size.x, size.z);
  // A row of anchors (a bridge, a curtain rail) lets things sag, not swing by their whole length.
  if (anchors.length === 0 || size.y > 0.8 * wide) return;
  const hung = new Box3().setFromPoints(anchors);
  const free = wide - Math.max(hung.max.x - hung.min.x, hung.max.z - hung.min.z);
  const top = Math.min(hung.max.y, box.max.y);
  box.min.y = Math.min(box.min.y, top - Math.max(free, 0.25 * wide));
  // And to the other side of where it hangs.
  const middle = hung.getCenter(new Vector3());
  const along = size.x >= size.z ? 'x' : 'z';
  if (free > 0.5 * wide) {
    box.min[along] = Math.min(box.min[along], middle[along] - 0.6 * free);
    box.max[along] = Math.max(box.max[along], middle[along] + 0.6 * free);
  }
}

/** Where hands go by themselves. */
function reachOfHands(model: SceneModel, turn: Quaternion, box: Box3): void {
  for (const { reach } of model.message.hands ?? [])
    box.union(displayed(new Box3(new Vector3(...reach.min), new Vector3(...reach.max)), turn));
}

/** Flat things from the front, others from a corner; always a little from above. */
function viewDirection(box: Box3): Vector3 {
  const size = box.getSize(new Vector3());
  const largest = Math.max(size.x, size.y, size.z);
  if (size.z < 0.12 * largest) return new Vector3(0.28, 0.2, 1);
  if (size.x < 0.12 * largest) return new Vector3(1, 0.2, 0.28);
  return new Vector3(0.62, 0.42, 0.9);
}
