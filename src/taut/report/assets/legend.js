// The legend: a piece of line with its marker for a series, a filled box for a class of a field.
// Chart.js draws the lines and texts; the plugin adds what it cannot combine with them.
const SWATCH = 26;

function shortened(text, width) {
  const most = Math.max(12, Math.floor(width / 6.4));
  return text.length <= most ? text : text.slice(0, most - 1) + '…';
}

function legend_items(chart) {
  const {field, theme} = chart.options.taut;
  const room = chart.width - SWATCH - 40;
  const items = [];
  chart.data.datasets.forEach((dataset, datasetIndex) => {
    if (dataset.is_field || (dataset.label === '' && chart.data.datasets.length > 1)) return;
    items.push({
      text: shortened(dataset.label, room), datasetIndex, hidden: !chart.isDatasetVisible(datasetIndex),
      pointStyle: 'line', fontColor: theme.text, lineDash: dataset.borderDash,
      strokeStyle: dataset.showLine ? dataset.borderColor : 'transparent',
      lineWidth: Math.min(dataset.borderWidth, 5),
    });
  });
  if (field)
    field.classes.forEach((name, index) => items.push({
      text: shortened(name, room), pointStyle: 'line', fontColor: theme.text,
      strokeStyle: 'transparent', class_index: index,
    }));
  return items;
}

const legend_plugin = {
  id: 'legend_markers',
  beforeLayout({legend}) {  // room between the legend and the plot
    if (!legend || legend.$has_room) return;
    const fit = legend.fit;
    legend.fit = () => { fit.call(legend); legend.height += 8; };
    legend.$has_room = true;
  },
  afterDraw(chart) {
    const {legend, ctx} = chart;
    if (!legend || !legend.options.display) return;
    const {theme} = chart.options.taut;
    legend.legendItems.forEach((item, i) => {
      const box = legend.legendHitBoxes[i];
      const x = box.left + SWATCH / 2, y = box.top + box.height / 2;
      const dataset = chart.data.datasets[item.datasetIndex];
      ctx.save();
      if (item.class_index !== undefined) {
        ctx.fillStyle = class_colour(theme, item.class_index);
        ctx.strokeStyle = theme.axis;
        ctx.fillRect(x - 9, y - 6, 18, 12);
        ctx.strokeRect(x - 9, y - 6, 18, 12);
      } else if (dataset.pointRadius > 0) {
        ctx.globalAlpha = item.hidden ? 0.4 : 1;
        ctx.fillStyle = dataset.pointBackgroundColor;
        ctx.strokeStyle = dataset.borderColor;
        ctx.lineWidth = 1.5;
        Chart.helpers.drawPoint(ctx, {pointStyle: dataset.pointStyle, radius: 4.5, borderWidth: 1.5}, x, y);
      }
      ctx.restore();
    });
  },
};
