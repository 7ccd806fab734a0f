// What the pointer does on the picture: pull bodies, pin them, select them, or only look.

import { Vector3 } from 'three';
import type { Session } from '../app/session.ts';
import { Events } from '../base/events.ts';
import type { Picked } from '../view/picker.ts';
import { Picker } from '../view/picker.ts';
import type { Stage } from '../view/stage.ts';
import { h } from '../base/dom.ts';
import { latest } from '../base/latest.ts';
import { iconButton } from './controls.ts';

export type Tool = 'pull' | 'pin' | 'look' | 'hand';
const clickDistance = 4; // px
const pushShare = 1.5; // scene sizes per second

interface Drag {
  grab: number;
  picked: Picked;
  from: { x: number; y: number };
  isPulling: boolean;
}

interface ToolEvents extends Record<string, unknown> {
  select: Picked | null;
  tool: Tool;
}

export class Tools {
  readonly element: HTMLElement;
  readonly events = new Events<ToolEvents>();
  readonly picker: Picker;
  selected: Picked | null = null;
  /** Bodies that a pin holds. */
  pinned: number[] = [];
  private tool: Tool = 'pull';
  private drag: Drag | null = null;
  private nextGrab = 1;
  private nextHover = 0; // ms
  private pressed: { x: number; y: number; picked: Picked | null } | null = null;
  private readonly buttons: Record<Tool, HTMLButtonElement>;
  private readonly move = latest((to: number[]) => this.session.connection.ask({ type: 'move', grab: this.drag?.grab ?? 0, to }));

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
  ) {
    this.picker = new Picker(stage);
    this.buttons = {
      pull: iconButton('hand', 'Pull: drag a body (1)', () => this.use('pull')),
      pin: iconButton('pin', 'Pin: click a body to hold it where it is, or to let it go (2)', () => this.use('pin')),
      look: iconButton('orbit', 'Look: dragging only turns the view (3)', () => this.use('look')),
      hand: iconButton('glove', 'Hand: drag moves it, wheel nearer and farther, right button turns, Shift and wheel closes (4)', () => this.use('hand')),
    };
    this.element = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'tools' }, Object.values(this.buttons));
    this.buttons.hand.hidden = true;
    this.use('pull');
    const { canvas } = stage;
    // Before the camera's own listener, which then must not turn the view.
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.hover(event));
    canvas.addEventListener('pointerup', (event) => this.lift(event));
    canvas.addEventListener('pointercancel', () => this.letGo());
    session.events.on('lost', () => this.letGo());
    session.events.on('model', ({ model, isNew }) => {
      const held = model.message.constraints.filter((each) => each.pin).flatMap((each) => each.bodies);
      this.pinned = [...new Set(held)].filter((body) => body >= 0);
      this.buttons.hand.hidden = !model.message.hands?.length;
      if (this.tool === 'hand' && this.buttons.hand.hidden) this.use('pull');
      if (isNew) this.select(null);
    });
  }

  use(tool: Tool): void {
    if (tool === 'hand' && this.buttons.hand.hidden) return;
    this.tool = tool;
    for (const [name, button] of Object.entries(this.buttons)) button.setAttribute('aria-pressed', String(name === tool));
    this.stage.canvas.dataset['tool'] = tool;
    this.events.emit('tool', tool);
  }

  select(picked: Picked | null): void {
    this.selected = picked;
    this.events.emit('select', picked);
    this.mark();
    this.stage.invalidate();
  }

  /** The ring follows what is selected; pegs are where something is pinned. */
  mark(): void {
    const { stage, selected } = this;
    const actor = stage.actors[selected?.run ?? 0];
    const state = actor?.state;
    if (!actor || !state) return;
    let place: Vector3 | null = null;
    if (selected?.body !== undefined) place = actor.model.position(state, selected.body, new Vector3());
    stage.marker.ringAt(place);
    const up = new Vector3(...actor.model.message.up);
    const places = this.pinned.map((body) => actor.model.position(state, body, new Vector3()));
    stage.marker.pegsAt(places, up);
  }

  isPinned(body: number): boolean {
    return this.pinned.includes(body);
  }

  togglePin(picked = this.selected): void {
    if (picked?.body === undefined) return;
    if (this.isPinned(picked.body)) void this.session.command({ type: 'unpin', body: picked.body });
    else {
      const at = this.session.model && picked.body < this.session.model.particleCount ? {} : { at: picked.point.toArray() };
      void this.session.command({ type: 'pin', body: picked.body, ...at });
    }
  }

  push(): void {
    const { selected, stage } = this;
    if (selected?.body === undefined || !stage.framing) return;
    const velocity = this.picker.viewDirection.multiplyScalar(pushShare * stage.framing.extent);
    void this.session.command({ type: 'push', body: selected.body, velocity: velocity.toArray() });
  }

  private at(event: PointerEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private press(event: PointerEvent): void {
    this.stage.rig.controls.enabled = true;
    if (event.button !== 0 || !event.isPrimary || this.tool === 'hand') return;
    const { x, y } = this.at(event);
    const picked = this.picker.pick(x, y);
    this.pressed = { x, y, picked };
    if (this.tool !== 'pull' || picked?.body === undefined || !this.session.canControl) return;
    this.stage.rig.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.drag = { grab: this.nextGrab++, picked, from: { x, y }, isPulling: false };
  }

  private hover(event: PointerEvent): void {
    const { x, y } = this.at(event);
    const { drag } = this;
    if (!drag) {
      if (event.buttons === 0) this.showCursor(x, y);
      return;
    }
    if (!drag.isPulling) {
      if (Math.hypot(x - drag.from.x, y - drag.from.y) < clickDistance) return;
      drag.isPulling = true;
      this.stage.canvas.dataset['pulling'] = 'true';
      const { body, point, run } = drag.picked;
      void this.session.command({ type: 'grab', grab: drag.grab, body, at: point.toArray(), run });
      this.select(drag.picked);
    }
    const to = this.picker.follow(x, y, drag.picked.point);
    if (to) this.move(to.toArray());
  }

  private lift(event: PointerEvent): void {
    const { x, y } = this.at(event);
    const { pressed } = this;
    const wasPulling = this.drag?.isPulling ?? false;
    this.letGo();
    this.pressed = null;
    if (!pressed || wasPulling || Math.hypot(x - pressed.x, y - pressed.y) >= clickDistance) return;
    if (this.tool === 'pin' && pressed.picked?.body !== undefined) this.togglePin(pressed.picked);
    else this.select(pressed.picked);
  }

  private letGo(): void {
    if (this.drag?.isPulling) void this.session.command({ type: 'release', grab: this.drag.grab });
    this.drag = null;
    delete this.stage.canvas.dataset['pulling'];
    this.stage.rig.controls.enabled = true;
  }

  private showCursor(x: number, y: number): void {
    const now = performance.now();
    if (now < this.nextHover) return;
    const picked = this.picker.pick(x, y);
    // Picking in a large mesh takes long: it gets at most a tenth of the time.
    this.nextHover = now + Math.max(60, 10 * (performance.now() - now));
    this.stage.canvas.dataset['over'] = picked?.body !== undefined ? 'body' : picked ? 'part' : '';
  }
}
