// Hands: the skin that follows the limbs, the ghost where the user's hand is, and what holds each limb back.

import {
  AlwaysStencilFunc,
  Bone,
  Color,
  EqualStencilFunc,
  GreaterDepth,
  Group,
  KeepStencilOp,
  Matrix4,
  ReplaceStencilOp,
  Skeleton,
  SkinnedMesh,
  Vector3,
  type MeshStandardMaterial,
} from 'three';
import type { StateFrame } from '../net/frames.ts';
import { Arrows } from './arrow_part.ts';
import { handSkin } from './hand_skin.ts';
import { material, type Look } from './look.ts';
import type { SceneModel } from './scene_model.ts';

export const limbCount = 16;
const skinColours = ['#c99f86', '#a98d9c'];
const ghostOpacity = 0.34;
const hiddenOpacity = 0.3; // of the ghost inside things
const leastForce = 0.05; // N that an arrow is drawn for
const metresPerNewton = 0.01; // hands are of one size: so are their arrows
const longestArrow = 0.12; // m
const arrowWidth = 0.0016; // m
const start = new Vector3();
const end = new Vector3();

// The ghost is seen inside of things too, but not inside of the hand, which marks where it is.
const marks = { stencilWrite: true, stencilRef: 1, stencilFunc: AlwaysStencilFunc, stencilZPass: ReplaceStencilOp } as const;
const insideThings = {
  depthWrite: false,
  depthFunc: GreaterDepth,
  stencilWrite: true,
  stencilRef: 0,
  stencilFunc: EqualStencilFunc,
  stencilZPass: KeepStencilOp,
} as const;

/** What is shown of hands beside their skin. */
export interface HandLook {
  /** Where the user's hand is. */
  ghosts: boolean;
  /** What holds it back, as arrows. */
  handForces: boolean;
}

class Skinned {
  readonly mesh: SkinnedMesh;
  private readonly bones: Bone[];

  constructor(geometry: SkinnedMesh['geometry'], inverses: Matrix4[], paint: MeshStandardMaterial, parent: Group) {
    this.bones = inverses.map(() => new Bone());
    this.mesh = new SkinnedMesh(geometry, paint);
    this.mesh.frustumCulled = false; // where it is, only its bones know
    this.mesh.userData['endless'] = true;
    parent.add(this.mesh, ...this.bones);
    this.mesh.bind(new Skeleton(this.bones, inverses.map((matrix) => matrix.clone())), new Matrix4());
  }

  /** The same once more, in another paint. */
  again(paint: MeshStandardMaterial): SkinnedMesh {
    const mesh = new SkinnedMesh(this.mesh.geometry, paint);
    mesh.frustumCulled = false;
    mesh.userData['endless'] = true;
    this.mesh.add(mesh);
    mesh.bind(this.mesh.skeleton, new Matrix4());
    return mesh;
  }

  put(limb: number, place: ArrayLike<number>, at: number): void {
    const bone = this.bones[limb];
    if (!bone) return;
    const n = (i: number) => place[at + i] ?? 0;
    bone.position.set(n(0), n(1), n(2));
    bone.quaternion.set(n(4), n(5), n(6), n(3));
  }

  dispose(): void {
    this.mesh.skeleton.dispose();
  }
}

export class HandPart {
  readonly group = new Group();
  /** Whether the skin is drawn for the limbs: for each body of a hand. */
  readonly skinned = new Set<number>();
  private readonly hands: { bodies: number[]; skin: Skinned; ghost: Skinned }[] = [];
  private readonly arrows: Arrows;

  constructor(
    private readonly model: SceneModel,
    look: Look,
  ) {
    this.arrows = new Arrows(this.group, look.tint ?? look.colours.contact, true);
    for (const [index, info] of (model.message.hands ?? []).entries()) {
      const made = handSkin(info, model.message.shapes);
      if (!made) continue;
      const colour = new Color(skinColours[index % skinColours.length]);
      const skin = new Skinned(made.geometry, made.inverses, material(look, colour, { roughness: 0.75, ...marks }), this.group);
      skin.mesh.castShadow = look.opacity === 1;
      skin.mesh.receiveShadow = true;
      const paint = material({ ...look, opacity: ghostOpacity * look.opacity }, look.colours.ghost, {
        depthWrite: false,
        // Where the hand is where its ghost is, only the hand is seen.
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 600,
      });
      const ghost = new Skinned(made.geometry, made.inverses, paint, this.group);
      ghost.mesh.renderOrder = 1;
      ghost.again(material({ ...look, opacity: hiddenOpacity * look.opacity }, look.colours.ghost, insideThings)).renderOrder = 1;
      this.hands.push({ bodies: info.bodies, skin, ghost });
      for (const body of info.bodies) this.skinned.add(body);
    }
  }

  update(state: StateFrame, { ghosts, handForces }: HandLook): void {
    // A preview has none.
    const hasGhosts = this.hands.length > 0 && state.ghosts.length >= 7 * limbCount * this.hands.length;
    for (const [number, { bodies, skin, ghost }] of this.hands.entries()) {
      ghost.mesh.visible = ghosts && hasGhosts;
      for (const [limb, body] of bodies.entries()) {
        skin.put(limb, state.rigid, 7 * (body - this.model.particleCount));
        if (hasGhosts) ghost.put(limb, state.ghosts, 7 * (limbCount * number + limb));
      }
    }
    this.drawForces(state, handForces && hasGhosts);
  }

  private drawForces(state: StateFrame, withForces: boolean): void {
    this.arrows.begin();
    if (withForces)
      for (const [number, { bodies }] of this.hands.entries())
        for (const [limb, body] of bodies.entries()) {
          end.fromArray(state.limbForces, 3 * (limbCount * number + limb));
          if (!(end.length() > leastForce)) continue;
          this.model.position(state, body, start);
          this.arrows.add(start, end.multiplyScalar(metresPerNewton).clampLength(0, longestArrow).add(start), arrowWidth);
        }
    this.arrows.end();
  }

  dispose(): void {
    for (const { skin, ghost } of this.hands) {
      skin.dispose();
      ghost.dispose();
    }
  }
}

/** What each finger of a hand is held back with, N. */
export function fingerForces(state: StateFrame | null, hand: number): number[] {
  return Array.from({ length: 5 }, (_, finger) => {
    end.set(0, 0, 0);
    for (let limb = 1 + 3 * finger; limb < 4 + 3 * finger; ++limb)
      if (state) end.add(start.fromArray(state.limbForces, 3 * (limbCount * hand + limb)));
    return end.length() || 0;
  });
}
