// The mouse as a hand: dragging moves the ghost in the plane of the picture, the wheel nearer and farther, the right
// button turns it, and the wheel with Shift closes the fingers.

import { Vector3 } from 'three';
import type { HandControl } from '../app/hand_control.ts';
import type { Session } from '../app/session.ts';
import type { Picker } from '../view/picker.ts';
import type { Stage } from '../view/stage.ts';

const depthPerTick = 0.0006; // of the scene's size, per unit of the wheel
const gripPerTick = 0.0012;
const radPerPixel = 0.008;

interface Drag {
  /** Where the pointer was, in the plane through the wrist. */
  from: Vector3;
  place: Vector3;
  turns: boolean;
  x: number;
  y: number;
}

export class HandTool {
  isOn = false;
  private drag: Drag | null = null;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly picker: Picker,
    private readonly control: HandControl,
  ) {
    const { canvas } = stage;
    // Before the camera's own listeners, which then must not turn the view.
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    canvas.addEventListener('pointerup', (event) => this.lift(event), { capture: true });
    canvas.addEventListener('pointercancel', () => (this.drag = null));
    canvas.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
  }

  get canUse(): boolean {
    return this.session.canControl && this.control.hands.length > 0;
  }

  /** From where its ghost is; the one that is pointed at, or else the last one. */
  take(body?: number): boolean {
    const pointed = body === undefined ? -1 : this.control.hands.findIndex((hand) => hand.bodies.includes(body));
    const hand = pointed >= 0 ? pointed : Math.min(this.control.hand, this.control.hands.length - 1);
    const state = this.stage.actors[0]?.state?.hands[hand];
    if (!state || !this.canUse) return false;
    this.control.take(hand, state);
    return true;
  }

  close(by: number): void {
    if (this.take()) this.control.setGrip(this.control.grip + by);
  }

  private at(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private press(event: PointerEvent): void {
    if (!this.isOn || !event.isPrimary || (event.button !== 0 && event.button !== 2)) return;
    const { x, y } = this.at(event);
    if (!this.take(this.picker.pick(x, y)?.body)) return;
    event.stopImmediatePropagation();
    const place = this.control.place;
    const from = this.picker.follow(x, y, place);
    if (!from) return;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.drag = { from, place, turns: event.button === 2, x, y };
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    event.stopImmediatePropagation();
    const { x, y } = this.at(event);
    if (drag.turns) {
      const view = this.picker.viewDirection;
      const up = new Vector3(...(this.session.model?.message.up ?? [0, 1, 0]));
      this.control.turnBy(up, (x - drag.x) * radPerPixel);
      this.control.turnBy(view.cross(up).normalize(), (y - drag.y) * radPerPixel);
      Object.assign(drag, { x, y });
      return;
    }
    const to = this.picker.follow(x, y, drag.place);
    if (to) this.control.moveTo(to.sub(drag.from).add(drag.place));
  }

  private lift(event: PointerEvent): void {
    if (!this.drag) return;
    event.stopImmediatePropagation();
    this.drag = null;
  }

  private wheel(event: WheelEvent): void {
    if (!this.isOn || event.ctrlKey || !this.take()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const by = event.deltaY || event.deltaX; // with Shift some browsers scroll sideways
    if (event.shiftKey) return this.control.setGrip(this.control.grip - by * gripPerTick);
    const away = this.picker.viewDirection.multiplyScalar(-by * depthPerTick * (this.stage.framing?.extent ?? 1));
    this.control.moveBy(away);
    // The drag goes on in the plane where the hand is now.
    const { drag } = this;
    if (!drag) return;
    const { x, y } = this.at(event);
    drag.place = this.control.place;
    drag.from = this.picker.follow(x, y, drag.place) ?? drag.from;
  }
}
