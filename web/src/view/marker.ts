// A ring around what is selected, and pegs where something is pinned.

import { CanvasTexture, Color, ConeGeometry, Group, MeshStandardMaterial, Sprite, SpriteMaterial, Vector3 } from 'three';
import { Instances } from './instances.ts';
import type { StageColours } from './palette.ts';

const ringShare = 0.045; // of the picture's height

function ringTexture(): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d');
  if (context) {
    context.strokeStyle = '#fff';
    context.lineWidth = 5;
    context.beginPath();
    context.arc(32, 32, 27, 0, 2 * Math.PI);
    context.stroke();
  }
  return new CanvasTexture(canvas);
}

export class Marker {
  readonly group = new Group();
  size = 0.02; // of pegs, m
  private readonly ring = new Sprite(
    new SpriteMaterial({ map: ringTexture(), depthTest: false, transparent: true, sizeAttenuation: false }),
  );
  private readonly pegMaterial = new MeshStandardMaterial({ roughness: 0.5 });
  private readonly pegs: Instances;

  constructor() {
    this.ring.scale.setScalar(ringShare);
    this.ring.visible = false;
    this.ring.renderOrder = 10;
    this.group.add(this.ring);
    this.pegs = new Instances(this.group, new ConeGeometry(1, 1, 18).rotateX(Math.PI).translate(0, 0.5, 0), this.pegMaterial);
  }

  paint(colours: StageColours): void {
    this.ring.material.color = new Color(colours.selection);
    this.pegMaterial.color = new Color(colours.pin);
  }

  ringAt(place: Vector3 | null): void {
    this.ring.visible = place !== null;
    if (place) this.ring.position.copy(place);
  }

  /** `up`: of the scene. */
  pegsAt(places: Vector3[], up: Vector3): void {
    this.pegs.begin();
    for (const place of places) this.pegs.addBetween(place, place.clone().addScaledVector(up, 2.4 * this.size), 0.8 * this.size);
    this.pegs.end();
  }
}
