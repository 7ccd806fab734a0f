// Live plots beneath the picture: error as bars and curves, energies, deviation, cost.

import uPlot from 'uplot';
import type { Series } from '../app/series.ts';
import { fill, h } from '../base/dom.ts';
import { number, quantity } from '../base/format.ts';
import { onTheme, theme } from '../base/theme.ts';

interface Curve {
  run: number;
  metric: string;
  label: string;
  dash: number[];
  width: number;
}

interface PlotKind {
  title: string;
  hint: string;
  metrics: string[];
  log: boolean;
  /** Single values far above all others leave the picture: what the clock says of a step. */
  spikes?: boolean;
}

const kinds: PlotKind[] = [
  { title: 'Accumulated error', hint: 'errors of all constraints, summed over the steps', metrics: ['accumulated_error'], log: true },
  { title: 'Energy', hint: 'kinetic, potential, and their sum', metrics: ['energy', 'kinetic', 'potential'], log: false },
  { title: 'Deviation', hint: "distance from the scene's reference, or from the first run", metrics: ['deviation'], log: true },
  { title: 'Cost per step', hint: 'time that a step takes to compute', metrics: ['step_cost'], log: false, spikes: true },
];
const dashes: Record<string, number[]> = { kinetic: [6, 4], potential: [2, 3] };
const shortNames: Record<string, string> = { energy: 'total', kinetic: 'kin.', potential: 'pot.' };
const redrawEvery = 120; // ms: plots are read, not watched like the picture
const smallestShown = 1e-18;

export class PlotsPanel {
  readonly element: HTMLElement;
  private readonly bars = h('div', { class: 'bars', role: 'img' });
  private readonly boxes: { kind: PlotKind; box: HTMLElement; holder: HTMLElement; plot: uPlot | null; key: string }[];
  /** Numbers of the runs that diverged. */
  diverged = new Set<number>();
  private isStale = true;
  private lastDrawn = 0;
  private shownTime = NaN;

  constructor(private readonly series: Series) {
    this.boxes = kinds.map((kind) => {
      const holder = h('div', { class: 'plot-holder' });
      const box = h('figure', { class: 'plot', title: kind.hint }, h('figcaption', {}, kind.title), holder);
      return { kind, box, holder, plot: null, key: '' };
    });
    this.element = h(
      'div',
      { class: 'plots' },
      h('figure', { class: 'plot bars-plot' }, h('figcaption', {}, 'Accumulated error, now'), this.bars),
      this.boxes.map(({ box }) => box),
    );
    onTheme(() => this.rebuild());
    const watcher = new ResizeObserver(() => this.resize());
    for (const { holder } of this.boxes) watcher.observe(holder);
  }

  invalidate(): void {
    this.isStale = true;
  }

  /** A line at the time that is shown, when that is in the past. */
  showTime(time: number | null): void {
    const shown = time ?? NaN;
    if (Object.is(shown, this.shownTime)) return;
    this.shownTime = shown;
    for (const { plot } of this.boxes) plot?.redraw(false);
  }

  private resize(): void {
    for (const { plot, holder } of this.boxes)
      if (plot && holder.clientWidth > 0 && (plot.width !== holder.clientWidth || plot.height !== holder.clientHeight))
        plot.setSize({ width: holder.clientWidth, height: holder.clientHeight });
  }

  rebuild(): void {
    for (const each of this.boxes) {
      each.plot?.destroy();
      each.plot = null;
    }
    this.isStale = true;
  }

  update(now: number): void {
    if (!this.isStale || now - this.lastDrawn < redrawEvery || this.element.offsetParent === null) return;
    this.isStale = false;
    this.lastDrawn = now;
    this.drawBars();
    for (const { kind, box } of this.boxes) box.hidden = !kind.metrics.some((metric) => this.series.has(metric, kind.log));
    for (const each of this.boxes) if (!each.box.hidden) this.drawPlot(each);
  }

  private drawBars(): void {
    const values = this.series.runs.map((_, run) => this.series.latest(run, 'accumulated_error'));
    const finite = values.filter((value) => Number.isFinite(value) && value > 0);
    const unit = this.series.metrics.find((metric) => metric.name === 'accumulated_error')?.unit ?? '';
    const high = Math.ceil(Math.log10(Math.max(...finite, smallestShown)) + 0.1);
    const low = Math.min(Math.floor(Math.log10(Math.min(...finite, 10 ** high))), high - 3);
    fill(
      this.bars,
      this.series.runs.map(({ run }, index) => {
        const value = values[index] ?? NaN;
        const share = value > 0 ? (Math.log10(value) - low) / (high - low) : 0;
        return h(
          'div',
          { class: 'error-bar', style: `--method: ${run.colour[theme()]}`, 'data-method': run.method, 'data-value': value, 'data-share': share.toFixed(4) },
          h('span', { class: 'bar-name' }, this.runLabel(index)),
          h('span', { class: 'bar-value' }, Number.isFinite(value) ? quantity(value, unit, 3) : '–'),
          h('span', { class: 'bar-track' }, h('span', { class: 'bar-fill', style: `width: ${Math.max(0.5, 100 * share)}%` })),
        );
      }),
      finite.length ? h('div', { class: 'bar-scale' }, h('span', {}, quantity(10 ** low, unit)), h('span', {}, 'logarithmic'), h('span', {}, quantity(10 ** high, unit))) : null,
    );
  }

  /** The step is part of the name where a method runs with several. */
  private runLabel(index: number): string {
    const { run } = this.series.runs[index]!;
    const same = this.series.runs.filter((each) => each.run.method === run.method).length;
    return same > 1 ? `${run.method} ${quantity(run.step, 's', 3)}` : run.method;
  }

  private curves(kind: PlotKind): Curve[] {
    // All three energies of several runs would be a tangle: there, the total alone.
    const metrics = this.series.runs.length > 1 ? kind.metrics.slice(0, 1) : kind.metrics;
    const seen = new Map<string, number>();
    return this.series.runs.flatMap(({ run }, index) => {
      const before = seen.get(run.method) ?? 0;
      seen.set(run.method, before + 1);
      return metrics.map((metric) => ({
        run: index,
        metric,
        label: metrics.length > 1 ? metric : this.runLabel(index),
        dash: before > 0 ? [3 + 3 * before, 3] : (dashes[metric] ?? []),
        width: 1.6,
      }));
    });
  }

  private drawPlot(each: (typeof this.boxes)[number]): void {
    const curves = this.curves(each.kind);
    const columns = curves.map(({ metric }) => this.series.column(metric));
    const key = curves.map((curve) => curve.label).join();
    const times = [...new Set(this.series.runs.flatMap((run) => run.times))].sort((a, b) => a - b);
    const data: (number | null | undefined)[][] = [times];
    curves.forEach((curve, i) => {
      const { times: own, values } = this.series.runs[curve.run]!;
      let at = 0;
      data.push(
        times.map((time) => {
          if (own[at] !== time) return undefined; // another run's time: the curve goes on
          const value = values[at++]?.[columns[i]!];
          if (value === undefined || !Number.isFinite(value)) return null;
          return each.kind.log && !(value > smallestShown) ? null : value;
        }),
      );
    });
    const aligned = data as uPlot.AlignedData;
    if (each.plot && each.key === key) return each.plot.setData(aligned);
    each.plot?.destroy();
    each.key = key;
    each.plot = new uPlot(this.options(each.kind, curves, each.holder), aligned, each.holder);
    fill(each.box.firstElementChild!, each.kind.title, strokes(curves));
  }

  private options(kind: PlotKind, curves: Curve[], holder: HTMLElement): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const css = (name: string) => style.getPropertyValue(name).trim();
    const unit = this.series.metrics.find((metric) => metric.name === kind.metrics[0])?.unit ?? '';
    const axis: uPlot.Axis = {
      stroke: css('--muted'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: css('--line'), width: 1 },
      ticks: { stroke: css('--line'), size: 4 },
    };
    return {
      width: Math.max(120, holder.clientWidth),
      height: Math.max(80, holder.clientHeight),
      padding: [8, 10, 0, 0],
      cursor: { points: { size: 6 }, drag: { x: true, y: false } },
      legend: { show: false },
      scales: {
        x: { time: false },
        y: kind.log ? { distr: 3, log: 10 } : { range: (plot, low, high) => padded(...this.soundRange(plot, kind, curves, low, high)) },
      },
      axes: [
        { ...axis, size: 24, values: (_plot, splits) => splits.map((x) => `${number(x, 3)}`) },
        {
          ...axis,
          size: 58,
          ...(kind.log ? { grid: { ...axis.grid, filter: decades }, ticks: { ...axis.ticks, filter: decades }, filter: decades } : {}),
          values: (_plot, splits) => labels(splits, unit),
        },
      ],
      series: [
        { label: 'time (s)' },
        ...curves.map((curve) => ({
          label: curve.label,
          stroke: this.series.runs[curve.run]?.run.colour[theme()] ?? '#888',
          width: curve.width,
          dash: curve.dash,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(plot) => this.drawShownTime(plot, css('--accent'))],
        setCursor: [(plot) => this.tell(plot, curves, unit, holder)],
      },
    };
  }

  /** Of the runs that did not diverge, whose values would hide all others. */
  private soundRange(plot: uPlot, kind: PlotKind, curves: Curve[], low: number, high: number): [number, number] {
    const isSound = curves.map((curve) => !this.diverged.has(curve.run));
    if (!isSound.some(Boolean) || (isSound.every(Boolean) && !kind.spikes)) return [low, high];
    const columns = plot.data.slice(1).filter((_, i) => isSound[i]);
    const values = columns.flatMap((column) => Array.from(column).filter((x): x is number => typeof x === 'number'));
    if (!values.length) return [low, high];
    values.sort((a, b) => a - b);
    const most = values[Math.floor(0.97 * (values.length - 1))]!;
    return [values[0]!, kind.spikes ? 1.3 * most : values.at(-1)!];
  }

  private drawShownTime(plot: uPlot, colour: string): void {
    if (!Number.isFinite(this.shownTime)) return;
    const x = plot.valToPos(this.shownTime, 'x', true);
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /** The values under the pointer, beside the title. */
  private tell(plot: uPlot, curves: Curve[], unit: string, holder: HTMLElement): void {
    const caption = holder.previousElementSibling;
    if (!(caption instanceof HTMLElement)) return;
    const title = caption.firstChild?.textContent ?? '';
    const at = plot.cursor.idx;
    if (at === null || at === undefined || (plot.cursor.left ?? -1) < 0) return fill(caption, title, strokes(curves));
    const time = plot.data[0][at] ?? 0;
    const texts = curves.map((curve, i) => {
      const value = nearest(plot.data[i + 1] ?? [], at);
      const colour = this.series.runs[curve.run]?.run.colour[theme()] ?? '';
      return value === null ? null : h('span', { class: 'told', style: `color: ${colour}` }, `${curve.label} ${quantity(value, unit, 3)}`);
    });
    fill(caption, title, h('span', { class: 'told' }, `${number(time, 4)} s`), texts);
  }
}

/** The top one says the unit. */
function labels(splits: (number | null)[], unit: string): string[] {
  const top = splits.findLastIndex((x) => x !== null);
  return splits.map((x, i) => (x === null ? '' : i === top ? quantity(x, unit, 3) : number(x, 3)));
}

/** Of a logarithmic axis, powers of ten alone, and not too many of them. */
function decades(plot: uPlot, splits: number[]): (number | null)[] {
  const powers = splits.map((x) => Math.log10(x)).filter((x) => Math.abs(x - Math.round(x)) < 1e-6);
  const every = Math.max(1, Math.ceil((powers.length * 22) / (plot.bbox.height / devicePixelRatio || 1)));
  return splits.map((x) => {
    const power = Math.round(Math.log10(x));
    return Math.abs(Math.log10(x) - power) < 1e-6 && power % every === 0 ? x : null;
  });
}

/** Which line is which, where one run has several. */
function strokes(curves: Curve[]): HTMLElement[] {
  if (curves.length < 2 || curves.some((curve) => curve.run > 0)) return [];
  return curves.map(({ label, dash }) =>
    h('span', { class: 'told' }, h('span', { class: 'stroke', style: `border-top-style: ${dash.length === 0 ? 'solid' : dash[0]! > 3 ? 'dashed' : 'dotted'}` }), shortNames[label] ?? label),
  );
}

function nearest(values: ArrayLike<number | null | undefined>, at: number): number | null {
  for (let i = at; i >= 0 && i > at - 20; --i) {
    const value = values[i];
    if (value !== undefined) return value;
  }
  return null;
}

function padded(low: number, high: number): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const size = high - low;
  const margin = size > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? 0.08 * size : Math.max(0.05 * Math.abs(high), 1e-9);
  return [low >= 0 && low < 0.6 * high ? 0 : low - margin, high + margin];
}
