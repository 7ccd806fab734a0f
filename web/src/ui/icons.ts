// Icons, 20 × 20, drawn with the text's colour.

const paths = {
  play: '<path d="M6 4l10 6-10 6z" fill="currentColor"/>',
  pause: '<path d="M6 4h3v12H6zM11 4h3v12h-3z" fill="currentColor"/>',
  step: '<path d="M4 4l8 6-8 6z" fill="currentColor"/><path d="M14 4h2v12h-2z" fill="currentColor"/>',
  reset: '<path d="M5 6v-3M5 6h3M5.2 6A6.2 6.2 0 1 1 3.8 10"/>',
  live: '<path d="M4 4l6 6-6 6M10 4l6 6-6 6"/>',
  branch: '<path d="M6 3v14M6 12c0-4 8-2 8-7M14 5l-2.5 2.2M14 5l2.2 2.4"/>',
  home: '<path d="M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM11 11h5v5h-5z"/>',
  fit: '<path d="M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4"/><circle cx="10" cy="10" r="2.4"/>',
  share: '<path d="M10 12V3M6.5 6L10 3l3.5 3M4 10v6h12v-6"/>',
  theme: '<circle cx="10" cy="10" r="6.5"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/>',
  help: '<path d="M7.4 7.4A2.7 2.7 0 1 1 10 11v1.2"/><circle cx="10" cy="15.2" r=".7" fill="currentColor"/>',
  panel: '<path d="M3 4h14v12H3zM12 4v12"/>',
  plots: '<path d="M3 3v14h14M6 13l3-4 3 2 4-6"/>',
  hand: '<path d="M6 10V5.5a1.2 1.2 0 0 1 2.4 0V9 4.2a1.2 1.2 0 0 1 2.4 0V9 5a1.2 1.2 0 0 1 2.4 0v5-2.500a1.2 1.2 0 0 1 2.400 0V12c0 3-2 5-5 5-2.600 0-3.600-1.200-4.600-3L3.800 11.200a1.200 1.200 0 0 1 2-1.200z"/>',
  glove: '<path d="M5 17v-5L3.500 8.500l1.500-1L7 10V3.500h1.700V9V2.800h1.700V9V3.300h1.700V9V5h1.700v7.500c0 2-1 3-1.500 4.500z" fill="currentColor"/>',
  pin: '<path d="M7 3h6M8 3v5l-2.500 3h9L12 8V3M10 11v6"/>',
  orbit: '<ellipse cx="10" cy="10" rx="7" ry="3"/><ellipse cx="10" cy="10" rx="3" ry="7"/>',
  close: '<path d="M5 5l10 10M15 5L5 15"/>',
  plus: '<path d="M10 4v12M4 10h12"/>',
  push: '<path d="M3 10h10M9 6l4 4-4 4M16 4v12"/>',
  record: '<circle cx="10" cy="10" r="5" fill="currentColor"/>',
  search: '<circle cx="9" cy="9" r="5"/><path d="M13 13l4 4"/>',
  gear: '<path d="M4 6h7M15 6h1M4 14h1M9 14h7"/><circle cx="13" cy="6" r="2"/><circle cx="7" cy="14" r="2"/>',
} as const;

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = paths[name];
  return svg;
}
