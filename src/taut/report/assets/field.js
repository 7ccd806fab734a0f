// A Chart.js plugin that paints a field of classes as coloured cells behind the series.

// The edges of cells with these centres: in the middle between neighbours, as the axis shows them.
function cell_edges(centres, is_log) {
  const at = is_log ? centres.map(Math.log) : centres;
  if (at.length < 2) return [at[0] - 0.5, at[0] + 0.5].map(is_log ? Math.exp : Number);
  const edges = [(3 * at[0] - at[1]) / 2];
  for (let i = 1; i < at.length; ++i) edges.push((at[i - 1] + at[i]) / 2);
  edges.push((3 * at.at(-1) - at.at(-2)) / 2);
  return is_log ? edges.map(Math.exp) : edges;
}

const field_plugin = {
  id: 'field',
  beforeDatasetsDraw(chart) {
    const {field, theme} = chart.options.taut;
    if (!field) return;
    const {ctx, chartArea: area, scales} = chart;
    const pixels = (centres, scale) =>  // whole ones: no seams between cells
      cell_edges(centres, scale.type === 'logarithmic').map((edge) => Math.round(scale.getPixelForValue(edge)));
    const xs = pixels(field.x, scales.x), ys = pixels(field.y, scales.y);
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    for (let row = 0; row < field.y.length; ++row) {
      const cells = field.cells.substr(row * field.x.length, field.x.length);
      for (let from = 0, to; from < cells.length; from = to) {  // equal neighbours in one piece
        for (to = from + 1; cells[to] === cells[from];) ++to;
        if (cells[from] === '.') continue;
        ctx.fillStyle = class_colour(theme, parseInt(cells[from], 36));
        ctx.fillRect(xs[from], ys[row], xs[to] - xs[from], ys[row + 1] - ys[row]);
      }
    }
    ctx.restore();
  },
};

const class_colour = (theme, index) => theme.field[index % theme.field.length];

// The cells as points that cannot be seen, so that the tooltip finds them.
function field_dataset(field) {
  const data = [];
  field.y.forEach((y, row) => field.x.forEach((x, column) => {
    const cell = field.cells[row * field.x.length + column];
    if (cell !== '.') data.push({x, y, name: field.classes[parseInt(cell, 36)]});
  }));
  return {data, is_field: true, showLine: false, pointRadius: 0, pointHoverRadius: 3, order: 30};
}
