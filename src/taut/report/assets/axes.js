// Numbers as text, the range of an axis, and its ticks.
const superscript = (n) =>
  String(n).replace('-', '⁻').replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);
const power_of_ten = (n) => '10' + superscript(n);
const minus = (text) => text.replace(/^-/, '−');

// 0.025, 1234, 3.2×10⁻⁷
function number_text(value, digits = 4) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return minus(String(Number(value.toPrecision(digits))));
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  const factor = String(Number(mantissa));
  const power = power_of_ten(Number(exponent));
  if (factor === '1') return power;
  return factor === '-1' ? '−' + power : minus(factor) + '×' + power;
}

// The nearest of 1, 2, 5 times a power of ten, not above or not below.
function round_125(value, upwards) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const near = (factor) => factor * power;
  const fits = upwards ? (f) => near(f) >= value * (1 - 1e-9) : (f) => near(f) <= value * (1 + 1e-9);
  const factors = upwards ? [1, 2, 5, 10] : [5, 2, 1];
  return near(factors.find(fits) ?? 1);
}

// From where to where an axis goes. `values`: what it must show; `has_markers`: keep the outermost
// ones off the frame; `is_y`: some air above and below, and from 0 where that is near.
function axis_limits(axis, values, is_y, has_markers) {
  if (axis.range) return axis.range;
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value) || (axis.log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return axis.log ? [0.1, 10] : [0, 1];
  if (axis.log) {
    if (high / low < 3) [low, high] = [low / 2, high * 2];  // never less than a few ticks
    if (is_y) {
      if (high / low < 50) return [round_125(low, false), round_125(high, true)];
      return [10 ** Math.floor(Math.log10(low) + 1e-9), 10 ** Math.ceil(Math.log10(high) - 1e-9)];
    }
    const margin = has_markers ? (high / low) ** 0.04 : 1;
    return [low / margin, high * margin];
  }
  if (low === high) {
    const margin = Math.abs(low) * 0.1 || 1;
    return [low - margin, high + margin];
  }
  const span = high - low;
  if (!is_y) return has_markers ? [low - 0.03 * span, high + 0.03 * span] : [low, high];
  const is_from_zero = low >= 0 && low < 0.3 * high;
  return [is_from_zero ? 0 : low - 0.06 * span, high + 0.06 * span];
}

function linear_ticks(low, high, count) {
  const step = round_125((high - low) / Math.max(1, count), true);
  const ticks = [];
  // The ends have six digits: a tick that is there up to their rounding is there.
  for (let i = Math.ceil(low / step - 1e-3); i * step <= high + 1e-3 * step; ++i)
    ticks.push(i * step);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const exponent = Math.floor(Math.log10(largest));
  const is_plain = exponent >= -3 && exponent < 5;
  const scale = is_plain ? 1 : 10 ** exponent;
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9)));
  return ticks.map((value) => {
    const text = minus((value / scale).toFixed(decimals));
    const is_zero = Math.abs(value) < step / 2;
    const label = is_plain ? text : is_zero ? '0' : text + '×' + power_of_ten(exponent);
    return {value, label: is_zero && is_plain ? (0).toFixed(decimals) : label, major: true};
  });
}

function log_ticks(low, high, count) {
  const first = Math.floor(Math.log10(low) + 1e-9), last = Math.ceil(Math.log10(high) - 1e-9);
  const decades = Math.log10(high / low);
  const is_inside = (value) => value >= low * (1 - 1e-4) && value <= high * (1 + 1e-4);
  const stride = Math.max(1, Math.ceil(decades / Math.max(2, count)));
  const labelled = decades < 1.7 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let n = first; n <= last; ++n) {
    for (let factor = 1; factor < 10; ++factor) {
      const value = Number(factor + 'e' + n);
      const major = labelled.includes(factor) && n % stride === 0;
      if (!is_inside(value) || (!major && (stride > 1 || decades > 9))) continue;
      const text = factor === 1 ? power_of_ten(n) : factor + '×' + power_of_ten(n);
      ticks.push({value, label: major ? text : '', major});
    }
  }
  return ticks;
}

const axis_ticks = (axis, low, high, count) =>
  axis.log ? log_ticks(low, high, count) : linear_ticks(low, high, count);
