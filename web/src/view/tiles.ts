// Rectangles of the canvas for pictures side by side. In CSS pixels, from the top left.

export interface Tile {
  x: number;
  y: number;
  width: number;
  height: number;
}

const gap = 2;

/** As square as possible. */
export function tileRows(count: number, width: number, height: number): { columns: number; rows: number } {
  let best = { columns: 1, rows: count };
  let smallest = 0;
  for (let columns = 1; columns <= count; ++columns) {
    const rows = Math.ceil(count / columns);
    const side = Math.min(width / columns, (height / rows) * 1.25);
    if (side > smallest * 1.001) {
      smallest = side;
      best = { columns, rows };
    }
  }
  return best;
}

export function tiles(count: number, width: number, height: number): Tile[] {
  if (count <= 1) return [{ x: 0, y: 0, width, height }];
  const { columns, rows } = tileRows(count, width, height);
  // Before the page is laid out the canvas is a pixel large.
  const wide = Math.max(1, (width - gap * (columns - 1)) / columns);
  const high = Math.max(1, (height - gap * (rows - 1)) / rows);
  return Array.from({ length: count }, (_, i) => ({
    x: (i % columns) * (wide + gap),
    y: Math.floor(i / columns) * (high + gap),
    width: wide,
    height: high,
  }));
}
