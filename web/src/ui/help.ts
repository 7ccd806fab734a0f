// The keys, shown with ?.

import { h } from '../base/dom.ts';
import { iconButton } from './controls.ts';

const groups: [string, [string, string][]][] = [
  [
    'Time',
    [
      ['Space', 'play, pause'],
      ['.', 'a single step'],
      ['R', 'back to the start'],
      ['← →', 'through what was recorded'],
      ['End', 'back to the present'],
      ['[ ]', 'slower, faster'],
    ],
  ],
  [
    'View',
    [
      ['drag', 'turn; right button: pan; wheel: zoom'],
      ['F', 'fit everything into the picture'],
      ['V', 'the first view again'],
      ['C', 'colour: none, strain, tension, speed'],
      ['A', 'forces of constraints'],
      ['K', 'forces of contacts'],
      ['L', 'ghosts or tiles'],
    ],
  ],
  [
    'Touch',
    [
      ['drag a body', 'pull it'],
      ['click', 'select: name and values'],
      ['P', 'pin or unpin what is selected'],
      ['X', 'push it, away from you'],
      ['1 2 3 4', 'tools: pull, pin, only look, hand'],
    ],
  ],
  [
    'Hand (4)',
    [
      ['drag', 'move it; wheel: nearer, farther'],
      ['right button', 'turn it'],
      ['N O', 'close, open the fingers; or Shift and wheel'],
      ['Y', 'the motion of the scene goes on'],
    ],
  ],
  [
    'Page',
    [
      ['S M D E', 'panels: scene, methods, display, editor'],
      ['B', 'plots'],
      ['T', 'dark, light'],
      ['G', 'gallery'],
      ['/', 'search in the gallery'],
      ['?', 'this help'],
    ],
  ],
];

export class Help {
  private readonly dialog: HTMLDialogElement;

  constructor() {
    this.dialog = h(
      'dialog',
      { class: 'help', 'aria-label': 'help', onclick: (event: Event) => event.target === this.dialog && this.dialog.close() },
      h('header', {}, h('h2', {}, 'Keys'), iconButton('close', 'Close (Esc)', () => this.dialog.close())),
      h(
        'div',
        { class: 'help-groups' },
        groups.map(([title, keys]) =>
          h('section', {}, h('h3', {}, title), h('dl', {}, keys.flatMap(([key, what]) => [h('dt', {}, keyCaps(key)), h('dd', {}, what)]))),
        ),
      ),
    );
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else {
      if (!this.dialog.isConnected) document.body.append(this.dialog);
      this.dialog.showModal();
    }
  }
}

function keyCaps(keys: string): HTMLElement[] {
  return /^[a-z]/.test(keys) ? [h('span', { class: 'gesture' }, keys)] : keys.split(' ').map((key) => h('kbd', {}, key));
}
