// On the picture: which run is which and how it fares, what colours mean, how large the grid is.

import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { length, number, quantity } from '../base/format.ts';
import { theme } from '../base/theme.ts';
import type { RunStatus } from '../net/protocol.ts';
import { rampCss } from '../view/palette.ts';
import type { Stage } from '../view/stage.ts';
import type { Colouring } from '../app/address.ts';

export class RunLabels {
  readonly element = h('div', { class: 'run-labels' });

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
  ) {}

  update(): void {
    const { model, status } = this.session;
    const runs = model?.message.runs ?? [];
    const isTiled = this.stage.layout === 'tiles' && runs.length > 1;
    this.element.classList.toggle('tiled', isTiled);
    const tiles = this.stage.tileList;
    const labels = runs.map((run, index) => {
      const tile = isTiled ? tiles[index] : undefined;
      const place = tile ? `left: ${tile.x}px; top: ${tile.y}px; max-width: ${tile.width - 16}px;` : '';
      return h(
        'div',
        { class: 'run-label', 'data-method': run.method, style: `--method: ${runs.length > 1 ? run.colour[theme()] : 'var(--muted)'}; ${place}` },
        h('div', { class: 'run-name' }, h('span', { class: 'dot' }), h('b', {}, run.method), h('span', { class: 'run-step' }, quantity(run.step, 's', 3)), badge(status?.runs[index])),
        trouble(status?.runs[index]),
      );
    });
    fill(this.element, labels);
  }
}

function badge(run: RunStatus | undefined): HTMLElement | null {
  if (run?.status === 'diverged') return h('span', { class: 'badge bad' }, 'diverged');
  if (run?.status === 'ended') return h('span', { class: 'badge' }, 'end');
  if (run?.doubts.length) return h('span', { class: 'badge doubt', title: run.doubts.join('\n') }, 'suspect');
  return null;
}

function trouble(run: RunStatus | undefined): HTMLElement | null {
  if (run?.status !== 'diverged') return null;
  return h('p', { class: 'run-reason' }, `at ${quantity(run.time, 's')}: ${run.reason || 'no reason is known'}`);
}

const titles: Record<Colouring, string> = { none: '', strain: 'strain', tension: 'tension', speed: 'speed' };

export class Legend {
  readonly element = h('div', { class: 'legend', hidden: true });
  private shown = '';

  constructor(private readonly stage: Stage) {}

  update(colouring: Colouring): void {
    const { high } = this.stage.scalars;
    const key = `${colouring} ${high}`;
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = colouring === 'none';
    const [scale, unit] = colouring === 'strain' ? [100, '%'] : [1, colouring === 'tension' ? 'N' : 'm/s'];
    fill(
      this.element,
      h('span', { class: 'legend-title' }, titles[colouring]),
      h('span', { class: 'legend-ramp', style: `background: ${rampCss}` }),
      h('span', { class: 'legend-ends' }, h('span', {}, '0'), h('span', {}, number((scale * high) / 2, 3)), h('span', {}, quantity(scale * high, unit, 3))),
    );
  }
}

export function gridLabel(stage: Stage): HTMLElement {
  const text = h('span');
  const element = h('div', { class: 'grid-label', title: 'width of a small square of the grid' }, h('span', { class: 'grid-cell' }), text);
  stage.onCell = (metres) => fill(text, length(metres));
  return element;
}
