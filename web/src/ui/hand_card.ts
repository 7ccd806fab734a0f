// On the picture of a scene with hands: who moves them, what each finger feels, and how the loops keep their time.

import { fingerNames, type HandControl } from '../app/hand_control.ts';
import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { number } from '../base/format.ts';
import type { HandState } from '../net/frames.ts';
import type { LoopStatus } from '../net/protocol.ts';
import type { Stage } from '../view/stage.ts';

const mostForce = 12; // N: what a glove can do
const updateEvery = 80; // ms

export class HandCard {
  readonly element = h('section', { class: 'hand-card', 'aria-label': 'hands', hidden: true });
  private readonly hands = h('div');
  private readonly grip = h('input', { type: 'range', min: -1, max: 1, step: 0.01, 'aria-label': 'grip', oninput: () => this.change() });
  private readonly held = h('div', { class: 'hand-held', hidden: true });
  private readonly loops = h('table', { class: 'loops' });
  private rows: { badge: HTMLElement; bars: HTMLElement[]; texts: HTMLElement[]; palm: HTMLElement }[] = [];
  private lastUpdate = 0;

  constructor(
    session: Session,
    private readonly stage: Stage,
    private readonly control: HandControl,
  ) {
    const toggles = fingerNames.map((name, i) => {
      const box = h('input', { type: 'checkbox', checked: true, 'aria-label': `grip moves ${name}`, onchange: () => {
        this.control.fingers[i] = box.checked;
        this.change();
      } });
      return h('label', { title: `The grip moves the ${name}` }, box, name);
    });
    fill(
      this.held,
      h('label', { class: 'hand-grip' }, 'open', this.grip, 'closed'),
      h('div', { class: 'hand-fingers' }, toggles),
      h('button', { type: 'button', class: 'small', onclick: () => this.control.letGo() }, 'Let go (Y)'),
    );
    fill(this.element, this.hands, this.held, this.loops);
    session.events.on('model', () => this.rebuild());
    session.events.on('status', ({ loops }) => this.showLoops(loops ?? []));
  }

  /** Once per displayed picture. */
  update(now: number): void {
    if (this.element.hidden || now - this.lastUpdate < updateEvery) return;
    this.lastUpdate = now;
    const states = this.stage.actors[0]?.state?.hands ?? [];
    this.rows.forEach((_, i) => this.showHand(i, states[i]));
    this.held.hidden = !this.control.isHeld;
    if (document.activeElement !== this.grip) this.grip.value = String(this.control.grip);
  }

  private change(): void {
    this.control.setGrip(Number(this.grip.value));
  }

  private rebuild(): void {
    const hands = this.control.hands;
    this.element.hidden = hands.length === 0;
    this.rows = hands.map(() => ({
      badge: h('span', { class: 'badge' }),
      bars: fingerNames.map(() => h('i')),
      texts: fingerNames.map(() => h('output')),
      palm: h('output'),
    }));
    fill(
      this.hands,
      hands.map((hand, i) => {
        const { badge, bars, texts, palm } = this.rows[i]!;
        return h(
          'div',
          { class: 'hand', 'data-hand': hand.name },
          h('header', {}, h('b', {}, hand.name), badge, h('span', { class: 'spring' }), h('small', {}, 'palm ', palm)),
          h('div', { class: 'finger-bars', title: 'What would open each finger, in N; 12 N at most' }, fingerNames.map((name, k) =>
            h('div', { class: 'finger' }, texts[k], h('span', { class: 'finger-bar' }, bars[k]), h('small', {}, name)))),
        );
      }),
    );
  }

  private showHand(index: number, state: HandState | undefined): void {
    const row = this.rows[index];
    if (!row) return;
    fingerNames.forEach((_, k) => {
      const force = state?.fingers[k] ?? 0;
      row.bars[k]!.style.height = `${Math.min(100, (100 * force) / mostForce)}%`;
      fill(row.texts[k]!, force > 0.005 ? force.toFixed(1) : '0');
    });
    fill(row.palm, `${Math.hypot(...(state?.wrist ?? [0])).toFixed(1)} N`);
    const isMine = this.control.isHeld && this.control.hand === index;
    const text = !state?.isMoved ? 'motion' : state.isStale ? `no input for ${number(state.age, 2)} s` : isMine ? 'mouse' : 'moved';
    row.badge.classList.toggle('doubt', state?.isStale ?? false);
    fill(row.badge, text);
  }

  private showLoops(loops: LoopStatus[]): void {
    fill(
      this.loops,
      h('tr', {}, ['loop', 'Hz', 'p50', 'p99', 'jitter', 'late'].map((text) => h('th', {}, text))),
      loops.map((loop) =>
        h(
          'tr',
          { 'data-loop': loop.name, title: `${loop.turns} turns, ms each; the longest took ${number(loop.longest ?? 0, 3)} ms. Jitter: how late turns began (p99). Late: not over when the next one was due` },
          h('td', {}, loop.name),
          h('td', {}, loop.rate > 0 ? number(loop.rate) : 'max'),
          h('td', {}, loop.p50 === undefined ? '' : number(loop.p50, 2)),
          h('td', {}, loop.p99 === undefined ? '' : number(loop.p99, 2)),
          h('td', {}, loop.jitter === undefined ? '' : number(loop.jitter, 2)),
          h('td', {}, String(loop.late)),
        ),
      ),
    );
  }
}
