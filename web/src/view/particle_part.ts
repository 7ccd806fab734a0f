// Particles that are no vertices of cloth, rods and springs between bodies, joints and their axes.

import { BufferGeometry, CatmullRomCurve3, Color, Curve, CylinderGeometry, Group, Mesh, SphereGeometry, TubeGeometry, Vector3 } from 'three';
import type { StateFrame } from '../net/frames.ts';
import { Instances } from './instances.ts';
import { material, type Look } from './look.ts';
import { orientation, type SceneModel } from './scene_model.ts';
import type { ScalarColours } from './scalar_colours.ts';

const from = new Vector3();
const to = new Vector3();
const axis = new Vector3();

/** A coil of unit length along y. */
class Coil extends Curve<Vector3> {
  constructor() {
    super();
  }

  override getPoint(t: number, out = new Vector3()): Vector3 {
    const turns = 2 * Math.PI * 9 * t;
    return out.set(2 * Math.cos(turns), t, 2 * Math.sin(turns));
  }
}

function rod(): BufferGeometry {
  return new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
}

export class ParticlePart {
  readonly group = new Group();
  readonly free: number[];
  private readonly radius: number;
  private readonly balls = new Map<number, number>(); // radii of particles that can touch
  private readonly spheres: Instances;
  private readonly rods: Instances;
  private readonly springs: Instances;
  private readonly axes: Instances;
  private readonly knobs: Instances;
  private readonly white = new Color('#ffffff');

  constructor(
    private readonly model: SceneModel,
    look: Look,
    private readonly size: number,
  ) {
    const woven = new Set<number>();
    for (const surface of model.surfaces) for (const body of surface.vertices) woven.add(body);
    this.free = Array.from({ length: model.particleCount }, (_, body) => body).filter((body) => !woven.has(body));
    for (const shape of model.message.shapes) if (shape.body >= 0 && shape.body < model.particleCount) this.balls.set(shape.body, shape.radius);
    const fine = this.free.length < 2000;
    // A few can be seen well; many must not hide each other.
    const given = model.message.particles.radius;
    this.radius = this.free.length < 40 ? Math.max(given, 0.9 * size) : given || size;
    const { colours } = look;
    this.spheres = new Instances(this.group, new SphereGeometry(1, fine ? 24 : 10, fine ? 16 : 8), material(look, colours.particle), this.free.length || 1);
    this.rods = new Instances(this.group, rod(), material(look, colours.link, { metalness: 0.3 }), model.links?.length || 1);
    this.springs = new Instances(this.group, new TubeGeometry(new Coil(), 180, 0.35, 6), material(look, colours.link));
    this.axes = new Instances(this.group, rod(), material(look, colours.joint));
    this.knobs = new Instances(this.group, new SphereGeometry(1, 16, 12), material(look, colours.joint));
    for (const curve of model.message.curves ?? []) {
      if (curve.body >= 0) continue;
      const wire = new CatmullRomCurve3(curve.points.map((point) => new Vector3(...point)), curve.closed);
      this.group.add(new Mesh(new TubeGeometry(wire, 2 * curve.points.length, 0.2 * size, 6, curve.closed), material(look, colours.link)));
    }
  }

  update(state: StateFrame, scalars: ScalarColours | null): void {
    this.updateParticles(state, scalars);
    this.updateLinks(state);
    this.updateJoints(state);
  }

  private updateParticles(state: StateFrame, scalars: ScalarColours | null): void {
    const values = scalars ? state.scalars : null;
    const colour = new Color();
    this.spheres.begin();
    for (const body of this.free) {
      from.fromArray(state.particles, 3 * body);
      const shown = values && scalars ? scalars.colour(values[body] ?? 0, colour) : this.white;
      this.spheres.addSphere(from, this.balls.get(body) ?? this.radius, shown);
    }
    this.spheres.end();
  }

  private updateLinks(state: StateFrame): void {
    const { types } = this.model.message.links;
    this.rods.begin();
    this.springs.begin();
    this.knobs.begin();
    for (const link of this.model.links ?? []) {
      this.model.place(state, link.a, link.atA, from);
      this.model.place(state, link.b, link.atB, to);
      const isSpring = types[link.type]?.includes('spring') ?? false;
      if (from.distanceToSquared(to) < 1e-4 * this.size * this.size) {
        if (link.a < 0 || link.b < 0) this.knobs.addSphere(from, 0.75 * this.size);
      } else if (isSpring) this.springs.addBetween(from, to, 0.35 * this.size);
      else this.rods.addBetween(from, to, 0.36 * this.size);
      if (link.a < 0) this.knobs.addSphere(from, 0.6 * this.size);
      else if (link.b < 0) this.knobs.addSphere(to, 0.6 * this.size);
    }
    this.rods.end();
    this.springs.end();
    this.knobs.end();
  }

  private updateJoints(state: StateFrame): void {
    const slim = Math.min(1, 24 / this.model.message.joints.length); // many must not hide what they join
    this.axes.begin();
    for (const joint of this.model.message.joints) {
      if (!joint.axis) continue;
      this.model.place(state, joint.b.body, joint.b.at, from);
      axis.set(...joint.axis);
      if (joint.b.body >= this.model.particleCount)
        axis.applyQuaternion(orientation(state, 7 * (joint.b.body - this.model.particleCount)));
      const half = 2.6 * this.size * slim;
      to.copy(from).addScaledVector(axis, half);
      from.addScaledVector(axis, -half);
      this.axes.addBetween(from, to, 0.42 * this.size * slim);
    }
    this.axes.end();
  }
}
