// Short messages at the bottom of the window.

import { h } from '../base/dom.ts';

const box = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
const lifetime = 6000; // ms

export function toast(message: string, kind: 'note' | 'error' = 'note'): void {
  if (!box.isConnected) document.body.append(box);
  const repeated = [...box.children].find((child) => child.textContent === message);
  repeated?.remove();
  const element = h('div', { class: `toast ${kind}`, onclick: () => element.remove() }, message);
  box.append(element);
  while (box.children.length > 3) box.firstElementChild?.remove();
  setTimeout(() => element.remove(), lifetime);
}
