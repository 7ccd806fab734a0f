// Numbers as people read them.

const minus = '−';

/** Three to four significant digits; powers of ten for the very large and the very small. */
export function number(value: number, digits = 4): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${minus}∞`;
  if (value === 0) return '0';
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa = '', exponent = '0'] = value.toExponential(Math.max(0, digits - 2)).split('e');
    text = `${trim(mantissa)}e${exponent.replace('+', '')}`;
  } else {
    text = trim(value.toPrecision(digits));
    if (text.includes('e')) text = String(Number(text));
  }
  return text.replaceAll('-', minus);
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function quantity(value: number, unit: string, digits = 4): string {
  return unit ? `${number(value, digits)} ${unit}` : number(value, digits);
}

export function vector(values: ArrayLike<number>, unit: string): string {
  // Beside the others, what is left of round-off is nothing.
  const least = 1e-9 * Math.max(...Array.from(values, Math.abs));
  return `${Array.from(values, (x) => number(Math.abs(x) < least ? 0 : x, 3)).join('  ')} ${unit}`.trim();
}

/** A time with a fixed number of decimals, so that it does not jitter while it runs. */
export function clock(seconds: number): string {
  return `${seconds.toFixed(seconds < 100 ? 3 : 2)} s`;
}

/** A length such as that of a grid's cell: 5 mm, 0.2 m, 1 km. */
export function length(metres: number): string {
  if (metres >= 1000) return `${number(metres / 1000)} km`;
  if (metres >= 0.1) return `${number(metres)} m`;
  if (metres >= 0.01) return `${number(metres * 100)} cm`;
  return `${number(metres * 1000)} mm`;
}

/** The largest of 1, 2, 5 times a power of ten that is not above `value`. */
export function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}
