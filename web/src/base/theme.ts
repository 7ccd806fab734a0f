// Dark and light: the system's preference until a person chooses.

export type Theme = 'dark' | 'light';

const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<(theme: Theme) => void>();
const key = 'taut.theme';

export function theme(): Theme {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

function chosen(): Theme | null {
  const value = localStorage.getItem(key);
  return value === 'dark' || value === 'light' ? value : null;
}

function show(value: Theme): void {
  document.documentElement.dataset['theme'] = value;
  for (const listener of listeners) listener(value);
}

export function startTheme(forced?: Theme): void {
  show(forced ?? chosen() ?? (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', () => {
    if (!forced && !chosen()) show(system.matches ? 'dark' : 'light');
  });
}

export function toggleTheme(): void {
  const next: Theme = theme() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(key, next);
  show(next);
}

/** Calls `listener` at once and at every change. */
export function onTheme(listener: (theme: Theme) => void): void {
  listeners.add(listener);
  listener(theme());
}
