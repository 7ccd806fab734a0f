// The camera: orbit, pan, zoom, fit. All tiles share it.

import { Box3, MOUSE, PerspectiveCamera, Quaternion, Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const glideTime = 280; // ms
const view = 32; // degrees
const upright = 1.25; // width to height below which a picture shows more above and below, not less beside

/** Where it is and what it looks at, in the coordinates of the scene. */
export type CameraPlace = [number, number, number, number, number, number];

interface Glide {
  start: number;
  fromPosition: Vector3;
  fromTarget: Vector3;
  toPosition: Vector3;
  toTarget: Vector3;
}

export class CameraRig {
  readonly camera = new PerspectiveCamera(view, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private glide: Glide | null = null;

  constructor(element: HTMLElement, onChange: () => void) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.zoomToCursor = true;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.addEventListener('change', onChange);
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Once per displayed picture. */
  update(now: number): void {
    if (this.glide) {
      const share = Math.min(1, (now - this.glide.start) / glideTime);
      const eased = 1 - (1 - share) ** 3;
      this.camera.position.lerpVectors(this.glide.fromPosition, this.glide.toPosition, eased);
      this.controls.target.lerpVectors(this.glide.fromTarget, this.glide.toTarget, eased);
      if (share === 1) this.glide = null;
    }
    this.controls.update();
    const distance = this.distance;
    this.camera.near = distance / 200;
    this.camera.far = distance * 200;
    this.camera.updateProjectionMatrix();
  }

  /** For a picture of this shape: what is in view stays in view in narrow ones. */
  setAspect(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.fov = (360 / Math.PI) * Math.atan(halfView(aspect));
    this.camera.updateProjectionMatrix();
  }

  /** Looks at a box, from where it looks now or from a direction. */
  fit(box: Box3, aspect: number, direction: Vector3 | null, smooth: boolean): void {
    const sphere = box.getBoundingSphere(new Sphere());
    const toward = direction ?? this.camera.position.clone().sub(this.controls.target);
    if (toward.lengthSq() === 0) toward.set(0, 0.3, 1);
    toward.normalize();
    const distance = Math.max(framingDistance(box, sphere.center, toward, halfView(aspect), aspect), 1e-3);
    this.go(sphere.center.clone().addScaledVector(toward, distance), sphere.center, smooth);
  }

  go(position: Vector3, target: Vector3, smooth: boolean): void {
    if (smooth)
      this.glide = {
        start: performance.now(),
        fromPosition: this.camera.position.clone(),
        fromTarget: this.controls.target.clone(),
        toPosition: position.clone(),
        toTarget: target.clone(),
      };
    else {
      this.glide = null;
      this.camera.position.copy(position);
      this.controls.target.copy(target);
      this.update(performance.now());
    }
  }

  /** `turn`: from the scene to what is displayed. */
  place(turn: Quaternion): CameraPlace {
    const back = turn.clone().invert();
    const position = this.camera.position.clone().applyQuaternion(back);
    const target = this.controls.target.clone().applyQuaternion(back);
    return [...position.toArray(), ...target.toArray()] as CameraPlace;
  }

  goTo(place: CameraPlace, turn: Quaternion): void {
    const [x, y, z, tx, ty, tz] = place;
    this.go(new Vector3(x, y, z).applyQuaternion(turn), new Vector3(tx, ty, tz).applyQuaternion(turn), false);
  }
}

/** Half the height of the picture at unit distance. */
function halfView(aspect: number): number {
  return Math.tan((view * Math.PI) / 360) * Math.max(1, upright / aspect);
}

/** From where all corners of the box are within the picture, with a margin. */
function framingDistance(box: Box3, centre: Vector3, toward: Vector3, half: number, aspect: number): number {
  const side = new Vector3().crossVectors(new Vector3(0, 1, 0), toward);
  if (side.lengthSq() < 1e-12) side.set(1, 0, 0);
  side.normalize();
  const up = new Vector3().crossVectors(toward, side);
  const corner = new Vector3();
  let distance = 0;
  for (let i = 0; i < 8; ++i) {
    corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(centre);
    const needed = Math.max(Math.abs(corner.dot(up)) / half, Math.abs(corner.dot(side)) / (half * aspect));
    distance = Math.max(distance, 1.12 * needed + corner.dot(toward));
  }
  return distance;
}
