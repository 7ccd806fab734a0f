// Forces of constraints, of contacts and of pulls as arrows; all runs share one scale.

import { BufferGeometry, Color, ConeGeometry, CylinderGeometry, Group, MeshStandardMaterial, Vector3 } from 'three';
import type { Arrow, StateFrame } from '../net/frames.ts';
import { Instances } from './instances.ts';
import type { Look } from './look.ts';

/** Newtons per metre of arrow: from the largest force seen, so that this one is a fifth of the scene. */
export class ForceScale {
  largest = 0;

  include(arrows: Arrow[]): void {
    for (const { force } of arrows) {
      const size = Math.hypot(...force);
      if (Number.isFinite(size) && size > this.largest) this.largest = size;
    }
  }

  forget(): void {
    this.largest = 0;
  }
}

const start = new Vector3();
const end = new Vector3();
const neck = new Vector3();

export class Arrows {
  private readonly shafts: Instances;
  private readonly heads: Instances;

  /** `isOnTop`: nothing hides them. */
  constructor(group: Group, colour: Color | string, isOnTop = false) {
    const paint = new MeshStandardMaterial({
      color: colour,
      roughness: 0.5,
      emissive: colour,
      emissiveIntensity: 0.25,
      depthTest: !isOnTop,
      transparent: isOnTop, // drawn after what is not
    });
    const shaft: BufferGeometry = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    const head: BufferGeometry = new ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
    this.shafts = new Instances(group, shaft, paint);
    this.heads = new Instances(group, head, paint);
    if (isOnTop) for (const { mesh } of [this.shafts, this.heads]) Object.assign(mesh, { renderOrder: 2, castShadow: false });
  }

  begin(): void {
    this.shafts.begin();
    this.heads.begin();
  }

  add(from: Vector3, to: Vector3, width: number): void {
    const size = from.distanceTo(to);
    if (!(size > 2 * width)) return;
    const headSize = Math.min(5 * width, 0.5 * size);
    neck.lerpVectors(from, to, 1 - headSize / size);
    this.shafts.addBetween(from, neck, width);
    this.heads.addBetween(neck, to, 2.6 * width);
  }

  end(): void {
    this.shafts.end();
    this.heads.end();
  }
}

export class ArrowPart {
  readonly group = new Group();
  private readonly forces: Arrows;
  private readonly contacts: Arrows;
  private readonly pulls: Arrows;

  constructor(
    look: Look,
    private readonly extent: number,
  ) {
    const tint = look.tint ?? null;
    this.forces = new Arrows(this.group, tint ?? look.colours.force);
    this.contacts = new Arrows(this.group, tint ?? look.colours.contact);
    this.pulls = new Arrows(this.group, look.colours.pull);
  }

  update(state: StateFrame, scale: ForceScale): void {
    const width = 0.0065 * this.extent;
    const metresPerNewton = scale.largest > 0 ? (0.22 * this.extent) / scale.largest : 0;
    for (const [arrows, list] of [
      [this.forces, state.forces],
      [this.contacts, state.contacts],
    ] as const) {
      arrows.begin();
      for (const { point, force } of list) {
        start.set(...point);
        end.set(...force).multiplyScalar(metresPerNewton).add(start);
        arrows.add(start, end, width);
      }
      arrows.end();
    }
    this.pulls.begin();
    for (const pull of state.pulls) this.pulls.add(start.set(...pull.from), end.set(...pull.to), width);
    this.pulls.end();
  }
}
