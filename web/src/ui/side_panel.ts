// The panel beside the picture, with tabs.

import { h } from '../base/dom.ts';

export interface Tab {
  key: string;
  label: string;
  content: HTMLElement;
  wide?: boolean;
}

export class SidePanel {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private current = 0;

  constructor(private readonly tabs: Tab[]) {
    this.buttons = tabs.map((tab, index) =>
      h('button', { type: 'button', role: 'tab', title: `${tab.label} (${tab.key.toUpperCase()})`, onclick: () => this.select(index) }, tab.label),
    );
    this.element = h(
      'aside',
      { class: 'side' },
      h('div', { class: 'tabs', role: 'tablist' }, this.buttons),
      tabs.map((tab) => h('div', { class: 'tab-content', role: 'tabpanel', 'aria-label': tab.label }, tab.content)),
    );
    this.select(0);
  }

  select(index: number): void {
    this.current = index;
    this.toggle(true);
    this.buttons.forEach((button, i) => button.setAttribute('aria-selected', String(i === index)));
    [...this.element.querySelectorAll<HTMLElement>('.tab-content')].forEach((content, i) => (content.hidden = i !== index));
    this.element.classList.toggle('wide', this.tabs[index]?.wide ?? false);
  }

  toggle(isShown = this.element.classList.contains('closed')): void {
    this.element.classList.toggle('closed', !isShown);
  }

  /** A tab's key opens it; again, the panel closes. */
  key(key: string): boolean {
    const index = this.tabs.findIndex((tab) => tab.key === key);
    if (index < 0) return false;
    if (index === this.current && !this.element.classList.contains('closed')) this.toggle(false);
    else this.select(index);
    return true;
  }
}
