// The metrics of all runs over time, for plots.

import type { StateFrame } from '../net/frames.ts';
import type { MetricInfo, RunInfo } from '../net/protocol.ts';

const most = 3000; // points per run; then every second one is dropped

export interface RunSeries {
  run: RunInfo;
  times: number[];
  values: Float64Array[];
}

export class Series {
  runs: RunSeries[] = [];
  metrics: MetricInfo[] = [];

  start(runs: RunInfo[]): void {
    const isSame =
      runs.length === this.runs.length &&
      runs.every((run, i) => run.method === this.runs[i]?.run.method && run.step === this.runs[i]?.run.step);
    this.runs = runs.map((run, i) => ({
      run,
      times: isSame ? (this.runs[i]?.times ?? []) : [],
      values: isSame ? (this.runs[i]?.values ?? []) : [],
    }));
  }

  clear(): void {
    for (const each of this.runs) each.times = each.values = [];
  }

  add(state: StateFrame): void {
    const series = this.runs[state.run];
    if (!series || !state.metrics) return;
    // Time that goes back means that something begins anew from there.
    let keep = series.times.length;
    while (keep > 0 && series.times[keep - 1]! >= state.time) --keep;
    series.times.length = series.values.length = keep;
    series.times.push(state.time);
    series.values.push(state.metrics);
    if (series.times.length > most) {
      series.times = series.times.filter((_, i) => i % 2 === 1);
      series.values = series.values.filter((_, i) => i % 2 === 1);
    }
  }

  column(name: string): number {
    return this.metrics.findIndex((metric) => metric.name === name);
  }

  /** Of the newest state of a run; NaN if there is none. */
  latest(run: number, name: string): number {
    return this.runs[run]?.values.at(-1)?.[this.column(name)] ?? NaN;
  }

  /** Whether a metric has any value; `positive`: one above 0. */
  has(name: string, positive: boolean): boolean {
    const at = this.column(name);
    const isThere = (x: number | undefined): boolean => x !== undefined && Number.isFinite(x) && (!positive || x > 0);
    return at >= 0 && this.runs.some(({ values }) => values.some((row) => isThere(row[at])));
  }

  /** What was recorded instead of what was shown: a quick run shows only a few of its states. */
  load(run: number, times: number[], metrics: Record<string, (number | null)[]>): void {
    const series = this.runs[run];
    if (!series) return;
    const columns = this.metrics.map(({ name }) => metrics[name]);
    const rows = times.map((_, i) => Float64Array.from(columns, (column) => column?.[i] ?? NaN));
    const last = times.at(-1) ?? -Infinity;
    const later = series.times.findIndex((time) => time > last);
    const newer = later < 0 ? series.times.length : later;
    series.times = [...times, ...series.times.slice(newer)];
    series.values = [...rows, ...series.values.slice(newer)];
  }

  csv(): string {
    const units = this.metrics.map(({ name, unit }) => (unit ? `${name} (${unit})` : name));
    const lines = [['run', 'method', 'step (s)', 'time (s)', ...units].join(',')];
    this.runs.forEach(({ run, times, values }, index) =>
      times.forEach((time, i) => {
        const row = Array.from(values[i] ?? [], (x) => (Number.isNaN(x) ? '' : x));
        lines.push([index, run.method, run.step, time, ...row].join(','));
      }),
    );
    return `${lines.join('\n')}\n`;
  }
}
