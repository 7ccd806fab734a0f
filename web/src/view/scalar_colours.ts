// Numbers as colours, on a scale that all runs share.

import type { Color } from 'three';
import type { Numbers } from '../net/frames.ts';
import { rampColour } from './palette.ts';

/** Of round numbers, so that the legend can be read. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

const smallest = 1e-12;

export class ScalarColours {
  /** The value of the brightest colour. */
  high = 0;
  private seen = 0;

  /** Grows at once and shrinks slowly. Strain may be below 0, where a cloth is compressed. */
  include(values: Numbers): void {
    let largest = smallest;
    for (const value of values) if (Number.isFinite(value) && Math.abs(value) > largest) largest = Math.abs(value);
    this.seen = Math.max(largest, 0.97 * this.seen);
    if (this.seen > this.high || this.seen < 0.3 * this.high) this.high = roundUp(this.seen);
  }

  colour(value: number, out: Color): Color {
    return rampColour(this.high > 0 ? Math.abs(value) / this.high : 0, out);
  }

  forget(): void {
    this.high = 0;
    this.seen = 0;
  }
}
