// What is drawn: colours, forces, ghosts or tiles.

import type { Colouring } from '../app/address.ts';
import { fill, h } from '../base/dom.ts';
import type { Layout } from '../view/stage.ts';
import { Segments, toggle } from './controls.ts';

export interface Display {
  colour: Colouring;
  layout: Layout;
  forces: boolean;
  contacts: boolean;
  handForces: boolean;
  ghosts: boolean;
}

export const colourings: Colouring[] = ['none', 'strain', 'tension', 'speed'];

export class DisplayPanel {
  readonly element = h('div', { class: 'panel-body' });

  constructor(
    private readonly display: Display,
    private readonly change: (change: Partial<Display>) => void,
    private readonly fit: () => void,
    private readonly hasHands: () => boolean,
  ) {
    this.show();
  }

  show(): void {
    const { display, change } = this;
    const colour = new Segments<Colouring>(
      'colour',
      colourings.map((value) => ({ value, label: value === 'none' ? 'plain' : value })),
      (value) => change({ colour: value }),
    );
    colour.set(display.colour);
    const layout = new Segments<Layout>(
      'several runs',
      [
        { value: 'ghosts', label: 'Overlaid', title: 'The first run, and the others as ghosts' },
        { value: 'tiles', label: 'Tiles', title: 'Each run for itself; one camera for all' },
      ],
      (value) => change({ layout: value }),
    );
    layout.set(display.layout);
    fill(
      this.element,
      h('section', {}, h('h3', {}, 'Colour of cloth and particles'), colour.element),
      h(
        'section',
        {},
        h('h3', {}, 'Arrows'),
        toggle('Forces of constraints', display.forces, (forces) => change({ forces })),
        toggle('Forces of contacts', display.contacts, (contacts) => change({ contacts })),
      ),
      this.hasHands() &&
        h(
          'section',
          {},
          h('h3', {}, 'Hands'),
          toggle('Where the user’s hand is', display.ghosts, (ghosts) => change({ ghosts })),
          toggle('What holds it back, as arrows', display.handForces, (handForces) => change({ handForces })),
        ),
      h('section', {}, h('h3', {}, 'Several runs'), layout.element),
      h('section', {}, h('h3', {}, 'Camera'), h('button', { type: 'button', class: 'small', onclick: this.fit }, 'Fit everything into the picture')),
    );
  }
}
