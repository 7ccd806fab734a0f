// Play, pause, step, reset, speed, and the slider through what was recorded.

import type { Player } from '../app/player.ts';
import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { clock, number } from '../base/format.ts';
import { iconButton, setIcon } from './controls.ts';
import { icon } from './icons.ts';

const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 0];
const ticks = 10000; // of the time slider

function speedText(speed: number): string {
  return speed === 0 ? 'max' : `${speed}×`;
}

export class Transport {
  readonly element: HTMLElement;
  private readonly playButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly timeText = h('output', { class: 'time', 'aria-label': 'time' });
  private readonly speedSelect: HTMLSelectElement;
  private readonly rateText = h('span', { class: 'rate', title: 'simulated seconds per real second' });
  private readonly liveButton: HTMLButtonElement;
  private readonly branchButton: HTMLButtonElement;
  private isDragging = false;

  constructor(
    private readonly session: Session,
    private readonly player: Player,
  ) {
    this.playButton = iconButton('play', 'Play or pause (Space)', () => player.toggle(), { class: 'icon-button play' });
    this.slider = h('input', {
      type: 'range',
      class: 'timeline',
      min: 0,
      max: ticks,
      step: 1,
      'aria-label': 'recorded time',
      oninput: () => this.scrub(),
      onpointerdown: () => (this.isDragging = true),
      onpointerup: () => (this.isDragging = false),
    });
    this.speedSelect = h(
      'select',
      { title: 'Speed ( [ slower, ] faster )', 'aria-label': 'speed', onchange: () => player.setSpeed(Number(this.speedSelect.value)) },
      speeds.map((speed) => h('option', { value: String(speed) }, speedText(speed))),
    );
    this.liveButton = h('button', { type: 'button', class: 'small', title: 'Back to the present (End)', onclick: () => player.leavePast() }, icon('live'), 'Latest');
    this.branchButton = h(
      'button',
      { type: 'button', class: 'small', title: 'Simulate on from here; what was recorded after it is forgotten', onclick: () => void player.continueHere() },
      icon('branch'),
      'Continue here',
    );
    this.element = h(
      'div',
      { class: 'transport', role: 'toolbar', 'aria-label': 'simulation' },
      iconButton('reset', 'Back to the start (R)', () => player.reset(), { 'data-control': true }),
      this.playButton,
      iconButton('step', 'A single step (.)', () => player.step(), { 'data-control': true }),
      this.timeText,
      this.slider,
      this.liveButton,
      this.branchButton,
      this.speedSelect,
      this.rateText,
    );
    player.events.on('change', () => this.update());
    this.update();
  }

  faster(by: number): void {
    const sorted = speeds.map((speed) => speed || Infinity);
    const now = this.player.speed || Infinity;
    const at = sorted.findIndex((speed) => speed >= now);
    const next = speeds[Math.min(speeds.length - 1, Math.max(0, at + by))];
    if (next !== undefined) this.player.setSpeed(next);
  }

  private scrub(): void {
    const [first, last] = this.player.range;
    void this.player.scrub(first + ((last - first) * Number(this.slider.value)) / ticks);
  }

  private update(): void {
    const { player, session } = this;
    const [first, last] = player.range;
    const share = last > first ? (player.time - first) / (last - first) : 1;
    if (!this.isDragging) this.slider.value = String(Math.round(ticks * share));
    this.slider.style.setProperty('--share', `${100 * Math.min(1, Math.max(0, Number(this.slider.value) / ticks))}%`);
    this.slider.disabled = !(last > first);
    const name = player.isPlaying ? 'pause' : 'play';
    if (this.playButton.dataset['shown'] !== name) {
      this.playButton.dataset['shown'] = name;
      setIcon(this.playButton, name);
    }
    const text = clock(player.time);
    if (this.timeText.textContent !== text) fill(this.timeText, text);
    this.liveButton.hidden = this.branchButton.hidden = !player.isInPast;
    this.branchButton.disabled = !session.canControl;
    if (document.activeElement !== this.speedSelect) this.speedSelect.value = String(player.speed);
    const rate = session.status?.rate ?? 0;
    const isRunning = session.status?.playing && !player.isInPast;
    fill(this.rateText, isRunning && rate > 0 ? `${number(rate, 2)}× real time` : '');
  }
}
