// From the data of a plot to a configuration of Chart.js.

function series_dataset(series, index, theme, is_on_field) {
  const has_line = series.style !== 'points';
  const has_markers = series.style === 'points' || series.style === 'line_and_points';
  const own = is_on_field ? theme.on_field[index % theme.on_field.length] : series[theme.name];
  const colour = series.reference ? theme.reference : own;
  const is_crowded = series.x.length > 150;
  return {
    label: series.label,
    data: series.x.map((x, i) => ({x, y: series.y[i] ?? NaN})),
    showLine: has_line, spanGaps: false, tension: 0, clip: has_markers ? 6 : undefined,
    borderColor: colour, borderWidth: series.reference ? 6 : 2, borderJoinStyle: 'round',
    borderDash: series.style === 'dashed' ? [6, 4] : DASHES[series.variant % DASHES.length],
    pointStyle: MARKERS[series.marker % MARKERS.length],
    pointRadius: has_markers ? (is_crowded ? 2 : 4) : 0, pointHoverRadius: 5, pointHitRadius: 8,
    pointBackgroundColor: has_line ? theme.card : colour,
    pointBorderWidth: is_crowded ? 1 : 1.5,
    // The larger, the further behind: of two lines that agree, both are seen.
    order: series.reference ? 20 : series.style === 'dashed' ? 0 : 1,
  };
}

// The ranges that show all series that are not switched off.
function plot_limits(spec, is_visible) {
  const shown = spec.series.filter((_, i) => is_visible(i));
  const has_markers = shown.some((s) => s.style.includes('points'));
  if (spec.field) {  // it fills the frame
    const range = (axis, centres) => axis_limits(axis, cell_edges(centres, axis.log), false, false);
    return {x: range(spec.x, spec.field.x), y: range(spec.y, spec.field.y)};
  }
  const xs = shown.flatMap((s) => s.x.filter((_, i) => s.y[i] !== null));
  const x = axis_limits(spec.x, xs, false, has_markers || !shown.every(is_function));
  const in_sight = (s) => s.y.filter((_, i) => s.x[i] >= x[0] && s.x[i] <= x[1]);
  return {x, y: axis_limits(spec.y, shown.flatMap(in_sight), true, has_markers)};
}

// A label that is longer than its axis goes onto two lines.
function title_lines(label, length) {
  if (label.length * 6.6 < length) return label;
  const words = label.split(' ');
  let first = words.shift();
  while (words.length && (first.length + words[0].length) * 2 <= label.length + words[0].length)
    first += ' ' + words.shift();
  return words.length ? [first, words.join(' ')] : label;
}

function axis_options(spec, name, limits, theme) {
  const axis = spec[name], is_x = name === 'x';
  return {
    type: axis.log ? 'logarithmic' : 'linear', min: limits[0], max: limits[1],
    afterBuildTicks(scale) {
      const count = is_x ? Math.min(10, scale.chart.width / 85) : Math.min(8, scale.chart.height / 48);
      scale.ticks = axis_ticks(axis, scale.min, scale.max, count);
    },
    ticks: {
      autoSkip: false, maxRotation: 0, color: theme.text, padding: 3,
      callback: (_, index, ticks) => ticks[index].label,
    },
    grid: {
      color: (context) => context.tick && !context.tick.major ? theme.minor : theme.grid,
      tickColor: theme.axis, borderColor: theme.axis, borderWidth: 1,
      tickLength: 5, tickWidth: (context) => (context.tick?.major ? 1 : 0),
    },
    title: {
      display: axis.label !== '', color: theme.muted, padding: {top: 4, bottom: 2},
      text: (context) => title_lines(axis.label, (is_x ? context.chart.width : context.chart.height) - 90),
    },
  };
}

// The tooltip shows every series at one x; where x goes back and forth, the nearest point.
Chart.Interaction.modes.column = (chart, event) => {
  const items = [];
  for (const meta of chart.getSortedVisibleDatasetMetas()) {
    let best = -1, distance = 30;
    meta.data.forEach((element, i) => {
      const d = Math.abs(element.x - event.x);
      if (!element.skip && d < distance) [best, distance] = [i, d];
    });
    if (best >= 0) items.push({element: meta.data[best], datasetIndex: meta.index, index: best});
  }
  return items;
};

const is_function = (series) =>
  series.style !== 'points' && series.x.every((x, i) => i === 0 || x >= series.x[i - 1]);

function tooltip_options(spec, theme) {
  const name = (label) => label || 'value';
  return {
    backgroundColor: theme.tooltip, titleColor: theme.text, bodyColor: theme.text,
    borderColor: theme.axis, borderWidth: 1, titleFont: {weight: '600'},
    padding: 9, boxPadding: 4, boxWidth: 9, boxHeight: 9, usePointStyle: true, position: 'nearest', caretPadding: 8,
    callbacks: {
      title: (items) => items.length ? `${spec.x.label || 'x'}: ${number_text(items[0].parsed.x, 5)}` : '',
      label: ({dataset, parsed, raw}) => dataset.is_field
        ? [`${spec.y.label || 'y'}: ${number_text(parsed.y, 5)}`, raw.name]
        : `${name(dataset.label)}: ${number_text(parsed.y, 5)}`,
      labelPointStyle: () => ({pointStyle: 'circle', rotation: 0}),
      labelColor: ({dataset}) => ({
        borderColor: dataset.borderColor ?? 'transparent',
        backgroundColor: dataset.borderColor ?? 'transparent',
      }),
    },
  };
}

// `extra`: options that differ for a picture file.
function plot_config(spec, theme, extra = {}) {
  const datasets = spec.series.map((series, i) => series_dataset(series, i, theme, Boolean(spec.field)));
  if (spec.field) datasets.push(field_dataset(spec.field));
  const limits = plot_limits(spec, () => true);
  const in_columns = !spec.field && spec.series.length <= 10 && spec.series.every(is_function);
  const has_legend = Boolean(spec.field) || spec.series.length > 1 || spec.series[0]?.label;
  const toggle = (_, item, legend) => {
    if (item.datasetIndex === undefined) return;
    const chart = legend.chart;
    chart.setDatasetVisibility(item.datasetIndex, !chart.isDatasetVisible(item.datasetIndex));
    const now = plot_limits(spec, (i) => chart.isDatasetVisible(i));
    for (const axis of ['x', 'y'])
      [chart.options.scales[axis].min, chart.options.scales[axis].max] = now[axis];
    chart.update();
  };
  return {
    type: 'scatter', data: {datasets}, plugins: [field_plugin, legend_plugin, paper_plugin, equal_plugin],
    options: {
      taut: {field: spec.field, theme, is_equal: spec.equal && !spec.x.log && !spec.y.log},
      animation: false, responsive: true, maintainAspectRatio: false, locale: 'en-US',
      devicePixelRatio: Math.max(2, window.devicePixelRatio), normalized: false,
      font: {family: FONT, size: 12}, layout: {padding: {top: 2, right: 14, bottom: 0, left: 0}},
      interaction: {mode: in_columns ? 'column' : 'nearest', axis: 'xy', intersect: false},
      scales: {
        x: axis_options(spec, 'x', limits.x, theme), y: axis_options(spec, 'y', limits.y, theme),
      },
      plugins: {
        legend: {
          display: Boolean(has_legend), align: 'start', onClick: toggle,
          labels: {
            usePointStyle: true, pointStyleWidth: SWATCH, boxHeight: 8, padding: 12,
            generateLabels: legend_items,
          },
        },
        tooltip: tooltip_options(spec, theme), title: {display: false},
      },
      ...extra,
    },
  };
}

const paper_plugin = {
  id: 'paper',
  beforeDraw({ctx, width, height, options}) {  // so that a copied picture is not transparent
    ctx.save();
    ctx.fillStyle = options.taut.theme.card;
    ctx.fillRect(0, 0, width, height);
    ctx.restore();
  },
  afterDraw({ctx, chartArea: area, data, options}) {
    if (data.datasets.some((dataset) => dataset.data.length > 0)) return;
    ctx.save();
    ctx.fillStyle = options.taut.theme.muted;
    ctx.font = `14px ${FONT}`;
    ctx.textAlign = 'center';
    ctx.fillText('no values to show', area.left + area.width / 2, area.top + area.height / 2);
    ctx.restore();
  },
};
