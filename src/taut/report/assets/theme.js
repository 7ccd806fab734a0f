// Colours. Series: the palette of Okabe and Ito, which people with colour-blindness tell apart
// (without its yellow, which white swallows). Fields: pale ones, so that curves stand out on them.
const THEMES = {
  light: {
    text: '#1d2430', muted: '#5b6573', axis: '#8a94a3', grid: '#e3e7ec', minor: '#f1f3f6',
    card: '#ffffff', reference: '#b4bac3',
    on_field: ['#1d2430', '#0072b2', '#a3195b', '#00664a'],
    series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#1d2430'],
    field: ['#bfe0f5', '#f7eeaa', '#f0b48c', '#b5dccf', '#e6c6d8', '#d4d9e0'],
    tooltip: 'rgba(255, 255, 255, 0.94)',
  },
  dark: {
    text: '#e6e9ee', muted: '#a3adba', axis: '#768191', grid: '#343b46', minor: '#282e37',
    card: '#1b2027', reference: '#6b7481',
    on_field: ['#f4f6f8', '#7cc8f5', '#f5a3c7', '#8fe0c4'],
    series: ['#4aa8e0', '#f08040', '#2bc49a', '#de9cc0', '#f0b030', '#8fd0f5', '#f4f6f8'],
    field: ['#1f4a66', '#6a6226', '#7a3d1c', '#1f5546', '#5c3a4e', '#444c58'],
    tooltip: 'rgba(18, 22, 27, 0.94)',
  },
};
const MARKERS = ['circle', 'rect', 'triangle', 'rectRot'];
const DASHES = [[], [10, 4], [2, 3], [10, 4, 2, 4]];  // for the second time round the palette, …
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';

const dark_mode = window.matchMedia('(prefers-color-scheme: dark)');
const current_theme = () => (dark_mode.matches ? THEMES.dark : THEMES.light);
