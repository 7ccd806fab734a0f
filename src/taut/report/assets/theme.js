// Colours of the page. Those of the series come with the data: one per method. Fields are pale, so
// that curves stand out on them.
const THEMES = {
  light: {
    name: 'light', text: '#1d2430', muted: '#5b6573', axis: '#8a94a3', grid: '#e3e7ec', minor: '#f1f3f6',
    card: '#ffffff', reference: '#b4bac3',
    on_field: ['#1d2430', '#0072b2', '#a3195b', '#00664a'],
    field: ['#bfe0f5', '#f7eeaa', '#f0b48c', '#b5dccf', '#e6c6d8', '#d4d9e0'],
    tooltip: 'rgba(255, 255, 255, 0.94)',
  },
  dark: {
    name: 'dark', text: '#e6e9ee', muted: '#a3adba', axis: '#768191', grid: '#343b46', minor: '#282e37',
    card: '#1b2027', reference: '#6b7481',
    on_field: ['#f4f6f8', '#7cc8f5', '#f5a3c7', '#8fe0c4'],
    field: ['#1f4a66', '#6a6226', '#7a3d1c', '#1f5546', '#5c3a4e', '#444c58'],
    tooltip: 'rgba(18, 22, 27, 0.94)',
  },
};
const MARKERS = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot'];
const DASHES = [[], [10, 4], [2, 3], [10, 4, 2, 4]];  // for several series of one method
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';

const dark_mode = window.matchMedia('(prefers-color-scheme: dark)');
const current_theme = () => (dark_mode.matches ? THEMES.dark : THEMES.light);
