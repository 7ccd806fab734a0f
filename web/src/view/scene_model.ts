// A scene as it is drawn: the message `scene` together with the binary frames that belong to it.

import {
  frameKinds,
  readLinks,
  readMesh,
  readSurface,
  type Frame,
  type Link,
  type MeshTopology,
  type StateFrame,
  type SurfaceTopology,
} from '../net/frames.ts';
import type { SceneMessage } from '../net/protocol.ts';
import { Quaternion, Vector3 } from 'three';

export class SceneModel {
  readonly surfaces: SurfaceTopology[] = [];
  readonly meshes = new Map<number, MeshTopology>();
  links: Link[] | null = null;

  constructor(readonly message: SceneMessage) {
    if (message.links.count === 0) this.links = [];
  }

  /** Takes a frame of its own generation. */
  take(frame: Frame): void {
    if (frame.kind === frameKinds.surface) this.surfaces[frame.number] = readSurface(frame);
    if (frame.kind === frameKinds.links) this.links = readLinks(frame);
    if (frame.kind === frameKinds.mesh) this.meshes.set(frame.number, readMesh(frame));
  }

  /** Whether all binary frames have arrived. */
  get isComplete(): boolean {
    const { surfaces, shapes, visuals } = this.message;
    const meshes = [...shapes, ...visuals].map((x) => x.mesh).filter((x): x is number => typeof x === 'number');
    return (
      this.links !== null &&
      surfaces.every((_, number) => this.surfaces[number]) &&
      meshes.every((number) => this.meshes.has(number))
    );
  }

  get particleCount(): number {
    return this.message.particles.count;
  }

  bodyName(body: number): string {
    if (body < 0) return 'world';
    if (body >= this.particleCount) return this.message.rigid[body - this.particleCount]?.name ?? `body ${body}`;
    return this.message.particles.names[body] ?? `particle ${body}`;
  }

  /** Where a point fixed in a body is, in the coordinates of the scene. */
  place(state: StateFrame, body: number, local: ArrayLike<number>, out = new Vector3()): Vector3 {
    out.set(local[0] ?? 0, local[1] ?? 0, local[2] ?? 0);
    if (body < 0) return out;
    if (body < this.particleCount) return out.fromArray(state.particles, 3 * body);
    const at = 7 * (body - this.particleCount);
    return out.applyQuaternion(orientation(state, at)).add(scratch.fromArray(state.rigid, at));
  }

  position(state: StateFrame, body: number, out = new Vector3()): Vector3 {
    return this.place(state, body, [0, 0, 0], out);
  }
}

const scratch = new Vector3();
const turned = new Quaternion();

/** Of the rigid body whose numbers begin at `at`. */
export function orientation(state: StateFrame, at: number): Quaternion {
  const r = state.rigid;
  return turned.set(r[at + 4] ?? 0, r[at + 5] ?? 0, r[at + 6] ?? 0, r[at + 3] ?? 1);
}
