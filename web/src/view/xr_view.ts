// The same picture in a headset: where the user stands in it, and what his hands do there.

import { Group, Matrix4, PerspectiveCamera, Vector3, type WebGLRenderer } from 'three';
import type { Framing } from './framing.ts';

const tableHeight = 0.95; // m above the floor: where the bottom of a scene is
const armLength = 0.45; // m in front of the user: its middle
const handySize = 0.8; // m: scenes without hands are not larger than that

/** In the order of WebXR. */
const joints: XRHandJoint[] = [
  'wrist',
  'thumb-metacarpal',
  'thumb-phalanx-proximal',
  'thumb-phalanx-distal',
  'thumb-tip',
  ...(['index', 'middle', 'ring', 'pinky'] as const).flatMap((finger) =>
    (['metacarpal', 'phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip'] as const).map(
      (part) => `${finger}-finger-${part}` as XRHandJoint,
    ),
  ),
];

export interface SeenHand {
  side: 'left' | 'right';
  /** 25 places in the coordinates of the scene: x, y, z. */
  joints: number[];
}

export async function isVrThere(): Promise<boolean> {
  return (await navigator.xr?.isSessionSupported('immersive-vr').catch(() => false)) ?? false;
}

export class XrView {
  readonly camera = new PerspectiveCamera(60, 1, 0.02, 60);
  /** Where the user's space is in the picture. */
  readonly rig = new Group();
  /** Called for each picture in the headset. */
  onFrame: ((now: number) => void) | null = null;
  onEnd: (() => void) | null = null;
  private frame: XRFrame | null = null;
  private readonly toDisplay = new Matrix4();

  constructor(private readonly renderer: WebGLRenderer) {
    this.rig.add(this.camera);
  }

  get isPresenting(): boolean {
    return this.renderer.xr.isPresenting;
  }

  async enter(): Promise<void> {
    if (!navigator.xr || this.isPresenting) return;
    const session = await navigator.xr.requestSession('immersive-vr', { optionalFeatures: ['local-floor', 'hand-tracking'] });
    const { xr } = this.renderer;
    xr.enabled = true;
    session.addEventListener('end', () => this.ended());
    await xr.setSession(session);
    this.renderer.setAnimationLoop((now, frame) => {
      this.frame = frame ?? null;
      this.onFrame?.(now);
      this.frame = null;
    });
  }

  async leave(): Promise<void> {
    await this.renderer.xr.getSession()?.end();
  }

  /** The scene on a table in front of the user; as large as it is, if there are hands to touch it with. */
  place({ box, extent }: Framing, hasHands: boolean): void {
    const size = hasHands ? 1 : Math.max(1, extent / handySize);
    const middle = box.getCenter(new Vector3());
    this.rig.scale.setScalar(size);
    this.rig.position.set(middle.x, box.min.y - tableHeight * size, middle.z + armLength * size);
    this.rig.updateMatrixWorld(true);
  }

  /** `world`: of the scene in the picture. Hands that are not tracked now are left out. */
  hands(world: Matrix4): SeenHand[] {
    const { frame, renderer } = this;
    const space = renderer.xr.getReferenceSpace();
    if (!frame?.getJointPose || !space) return [];
    this.toDisplay.copy(world).invert().multiply(this.rig.matrixWorld);
    const seen: SeenHand[] = [];
    for (const { hand, handedness } of frame.session.inputSources) {
      if (!hand || handedness === 'none') continue;
      const places = joints.flatMap((name) => {
        const joint = hand.get(name);
        const pose = joint && frame.getJointPose?.(joint, space);
        if (!pose) return [];
        const { x, y, z } = pose.transform.position;
        return new Vector3(x, y, z).applyMatrix4(this.toDisplay).toArray();
      });
      if (places.length === 3 * joints.length && places.every(Number.isFinite)) seen.push({ side: handedness, joints: places });
    }
    return seen;
  }

  private ended(): void {
    this.renderer.setAnimationLoop(null);
    this.renderer.xr.enabled = false;
    this.onEnd?.();
  }
}
