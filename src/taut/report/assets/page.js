// Draws all plots of the page, and again when the colours change.

// Makes a unit of x as long as a unit of y, by leaving room at the sides or above and below.
const equal_plugin = {
  id: 'equal',
  afterUpdate(chart) {
    const {x, y} = chart.scales;
    if (!chart.options.taut.is_equal || chart.$is_fitting) return;
    const area = chart.chartArea, padding = chart.options.layout.padding;
    const before = chart.$room ?? {x: 0, y: 0}, own = (chart.$own_padding ??= {...padding});
    const width = area.width + before.x, height = area.height + before.y;
    const ratio = (x.max - x.min) / (y.max - y.min);
    const room = {x: Math.max(0, width - height * ratio), y: Math.max(0, height - width / ratio)};
    if (Math.abs(room.x - before.x) + Math.abs(room.y - before.y) < 1) return;
    chart.$room = room;
    Object.assign(padding, {
      left: own.left + room.x / 2, right: own.right + room.x / 2, bottom: own.bottom + room.y,
    });
    chart.$is_fitting = true;
    chart.update();
    chart.$is_fitting = false;
  },
};

const plots = [...document.querySelectorAll('figure.plot')].map((figure) => ({
  figure,
  spec: JSON.parse(figure.querySelector('script').textContent),
  title: figure.querySelector('h3').textContent,
}));

function draw_all(theme) {
  for (const plot of plots) {
    plot.chart?.destroy();
    plot.chart = new Chart(plot.figure.querySelector('canvas'), plot_config(plot.spec, theme));
  }
}

// Always light and of one size, for slides.
function save_picture(plot) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = plot.spec.equal ? [640, 640] : [800, 500];
  const config = plot_config(plot.spec, THEMES.light, {
    responsive: false, devicePixelRatio: 2, font: {family: FONT, size: 14},
  });
  config.options.layout.padding = {top: 12, right: 24, bottom: 12, left: 12};
  config.options.plugins.title = {
    display: plot.title !== '', text: plot.title, align: 'start', color: THEMES.light.text,
    font: {size: 18}, padding: {bottom: 8},
  };
  const chart = new Chart(canvas, config);
  const link = document.createElement('a');
  link.href = canvas.toDataURL('image/png');
  link.download = (plot.title || 'plot').replace(/[^\p{L}\p{N}]+/gu, '-') + '.png';
  link.click();
  chart.destroy();
}

function add_buttons(plot) {
  const bar = document.createElement('div');
  bar.className = 'buttons';
  const add = (text, hint, action) => {
    const button = document.createElement('button');
    Object.assign(button, {type: 'button', textContent: text, title: hint, onclick: action});
    bar.append(button);
  };
  add('PNG', 'Save this plot as a picture', () => save_picture(plot));
  if (document.fullscreenEnabled)
    add('Enlarge', 'Show this plot on the whole screen', () =>
      document.fullscreenElement ? document.exitFullscreen() : plot.figure.requestFullscreen());
  plot.figure.prepend(bar);
}

Chart.defaults.font.family = FONT;
plots.forEach(add_buttons);
draw_all(current_theme());
document.documentElement.dataset.plots = plots.length;  // all drawn: a test looks for it
dark_mode.addEventListener('change', () => draw_all(current_theme()));
window.addEventListener('beforeprint', () => {
  document.querySelectorAll('details').forEach((details) => { details.open = true; });
  if (dark_mode.matches) draw_all(THEMES.light);
  for (const plot of plots) plot.chart.resize(400, plot.spec.equal ? 360 : 280);  // as wide as on paper
});
window.addEventListener('afterprint', () => draw_all(current_theme()));
