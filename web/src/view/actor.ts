// The picture of one run.

import { Box3, Group, InstancedMesh, type BufferGeometry, type Material, type Mesh, type Object3D } from 'three';
import type { StateFrame } from '../net/frames.ts';
import { ArrowPart, type ForceScale } from './arrow_part.ts';
import { ClothPart } from './cloth_part.ts';
import { HandPart, type HandLook } from './hand_part.ts';
import type { Look } from './look.ts';
import { ParticlePart } from './particle_part.ts';
import { RigidPart } from './rigid_part.ts';
import type { ScalarColours } from './scalar_colours.ts';
import type { SceneModel } from './scene_model.ts';

const mostSearched = 6000;

export class Actor {
  readonly group = new Group();
  state: StateFrame | null = null;
  private readonly rigid: RigidPart;
  private readonly particles: ParticlePart;
  private readonly cloths: ClothPart[];
  private readonly arrows: ArrowPart;
  readonly hands: HandPart;

  /** `extent`: of the scene, m. */
  constructor(
    readonly model: SceneModel,
    readonly run: number,
    look: Look,
    extent: number,
    withWorld: boolean,
  ) {
    this.hands = new HandPart(model, look);
    this.rigid = new RigidPart(model, look, withWorld, this.hands.skinned);
    this.particles = new ParticlePart(model, look, 0.014 * extent);
    this.cloths = model.surfaces.map((surface) => new ClothPart(surface, look));
    this.arrows = new ArrowPart(look, extent);
    const parts = [this.rigid, this.particles, ...this.cloths, this.arrows, this.hands];
    this.group.add(...parts.map((part) => part.group));
    this.group.visible = false;
  }

  show(state: StateFrame, scalars: ScalarColours | null, forces: ForceScale, handLook: HandLook): void {
    this.state = state;
    this.group.visible = true;
    this.rigid.update(state);
    this.particles.update(state, scalars);
    for (const cloth of this.cloths) cloth.update(state, scalars);
    this.arrows.update(state, forces);
    this.hands.update(state, handLook);
  }

  /** Of all that is drawn, arrows apart, where it is displayed. */
  box(): Box3 {
    const box = new Box3();
    this.group.updateWorldMatrix(true, true);
    for (const part of [this.rigid, this.particles, ...this.cloths])
      part.group.traverse((object) => {
        if (object.userData['endless'] || !(object.visible || object.userData['hidden'])) return;
        if (object instanceof InstancedMesh) object.computeBoundingBox();
        else if ('geometry' in object) (object.geometry as BufferGeometry).computeBoundingBox();
        else return;
        const own = new Box3().copy((object instanceof InstancedMesh ? object.boundingBox : (object as Mesh).geometry.boundingBox) ?? new Box3());
        if (!own.isEmpty() && Number.isFinite(own.min.x + own.max.x)) box.union(own.applyMatrix4(object.matrixWorld));
      });
    return box;
  }

  /** Particles to be found near the pointer. Of a large cloth, vertices are found by its triangles. */
  get pickableParticles(): Iterable<number> {
    return this.model.particleCount <= mostSearched ? Array(this.model.particleCount).keys() : this.particles.free;
  }

  get solids(): Mesh[] {
    return this.rigid.pickable;
  }

  get sheets(): ClothPart[] {
    return this.cloths;
  }

  dispose(): void {
    this.hands.dispose();
    this.group.removeFromParent();
    this.group.traverse((object: Object3D) => {
      const { geometry, material } = object as Partial<{ geometry: BufferGeometry; material: Material | Material[] }>;
      geometry?.dispose();
      for (const each of [material ?? []].flat()) each.dispose();
    });
  }
}
