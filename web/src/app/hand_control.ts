// A hand that the user moves: where its ghost is to be, sent with each picture while somebody holds it.

import { Quaternion, Vector3 } from 'three';
import type { HandState } from '../net/frames.ts';
import type { HandInfo } from '../net/protocol.ts';
import type { Session } from './session.ts';
import { latest } from '../base/latest.ts';

export const fingerNames = ['thumb', 'index', 'middle', 'ring', 'pinkie'] as const;
const aliveEvery = 60; // ms: what is silent for longer than a quarter of a second is stale

/** By how much angles change from as they are to a closed hand: number, finger, rad. */
const closing: [number, number, number][] = [
  [1, 0, -0.45], // thumb_mpj
  [3, 0, -0.5], // thumb_ab
  [5, 1, 0.7], // pij of the fingers
  [8, 2, 0.7],
  [12, 3, 0.7],
  [16, 4, 0.7],
];
const closingSpeed = 0.8; // of that, per s
const openingSpeed = 2;
const farthest = 1.6; // of that
const firmest = 5; // N that a finger of a closed hand presses with
const thumbRotate = 0;
const opposed = 1.6; // rad: the thumb faces the fingers

export class HandControl {
  /** The number of the hand that is moved. */
  hand = 0;
  /** From −1, open, over 0, as it was taken, to 1, closed. Above 0 each finger closes until it feels as much. */
  grip = 0;
  /** Which fingers the grip moves. */
  fingers = [true, true, true, true, true];
  isHeld = false;
  private readonly position = new Vector3();
  private readonly orientation = new Quaternion();
  private angles: number[] = []; // as it was taken
  private closed = [0, 0, 0, 0, 0]; // of each finger
  private lastTick = 0;
  private isChanged = false;
  private lastSent = 0;
  // What still waits when the hand is let go must not take it again.
  private readonly send = latest(async (message: Record<string, unknown>) => {
    if (this.isHeld) await this.session.connection.ask(message).catch((error: unknown) => this.refused(error));
  });

  /** `feel`: what each finger of a hand presses with, N. */
  constructor(
    private readonly session: Session,
    private readonly feel: (hand: number) => number[],
  ) {
    session.events.on('model', ({ isNew }) => {
      if (isNew) this.forget();
    });
    session.events.on('lost', () => this.forget());
  }

  get hands(): HandInfo[] {
    return this.session.model?.message.hands ?? [];
  }

  /** Begins from where the ghost is. */
  take(hand: number, state: HandState): void {
    if (this.isHeld && this.hand === hand) return;
    this.hand = hand;
    this.grip = 0;
    this.closed.fill(0);
    this.position.fromArray(state.position);
    const [w = 1, x = 0, y = 0, z = 0] = state.orientation;
    this.orientation.set(x, y, z, w);
    this.angles = Array.from(state.angles);
    this.isHeld = this.isChanged = true;
  }

  get place(): Vector3 {
    return this.position.clone();
  }

  moveTo(place: Vector3): void {
    this.position.copy(place);
    this.isChanged = true;
  }

  moveBy(way: Vector3): void {
    this.moveTo(this.position.add(way));
  }

  /** About an axis of the scene. */
  turnBy(axis: Vector3, angle: number): void {
    this.orientation.premultiply(new Quaternion().setFromAxisAngle(axis, angle)).normalize();
    this.isChanged = true;
  }

  setGrip(wanted: number): void {
    const grip = Math.min(1, Math.max(-1, wanted));
    // What is less than it was lets go a little at once.
    if (grip < this.grip) this.closed = this.closed.map((share, i) => (this.fingers[i] ? share - (this.grip - grip) : share));
    this.grip = grip;
    this.isChanged = true;
  }

  private close(seconds: number): void {
    const forces = this.feel(this.hand);
    this.closed = this.closed.map((share, i) => {
      if (!this.fingers[i]) return share;
      let next = share;
      if (this.grip > 0 && (forces[i] ?? 0) < firmest * this.grip) next = Math.min(farthest, share + closingSpeed * seconds);
      if (this.grip <= 0) next = share + Math.min(openingSpeed * seconds, Math.max(-openingSpeed * seconds, this.grip - share));
      if (next !== share) this.isChanged = true;
      return next;
    });
  }

  /** The scene's own motion goes on. */
  letGo(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    void this.session.command({ type: 'let_go', hand: this.hand });
  }

  forget(): void {
    this.isHeld = false;
  }

  /** Once per displayed picture. */
  tick(now: number): void {
    const seconds = Math.min(0.05, (now - this.lastTick) / 1000);
    this.lastTick = now;
    if (!this.isHeld) return;
    this.close(seconds);
    if (!this.isChanged && now - this.lastSent <= aliveEvery) return;
    this.isChanged = false;
    this.lastSent = now;
    const { x, y, z, w } = this.orientation;
    this.send({
      type: 'hand',
      hand: this.hand,
      source: 'mouse',
      time: now / 1000,
      position: this.position.toArray(),
      orientation: [w, x, y, z],
      angles: this.gripped(),
    });
  }

  private gripped(): number[] {
    const angles = [...this.angles];
    const limits = this.hands[this.hand]?.limits ?? [];
    for (const [angle, finger, by] of closing) angles[angle] = (angles[angle] ?? 0) + by * (this.closed[finger] ?? 0);
    // A thumb beside the palm turns under it first.
    const turned = angles[thumbRotate] ?? 0;
    if (turned < opposed) angles[thumbRotate] = Math.min(opposed, turned + 2 * opposed * Math.max(0, this.closed[0] ?? 0));
    return angles.map((angle, i) => Math.min(limits[i]?.[1] ?? Infinity, Math.max(limits[i]?.[0] ?? -Infinity, angle)));
  }

  private refused(error: unknown): void {
    if (!this.isHeld) return;
    this.isHeld = false; // said once, and not with each picture
    this.session.events.emit('trouble', error instanceof Error ? error.message : String(error));
  }
}
