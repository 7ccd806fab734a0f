// All built-in scenes, with pictures.

import type { Session } from '../app/session.ts';
import { socketAddress } from '../app/address.ts';
import { Thumbnails, type Wish } from '../app/thumbnails.ts';
import { fill, h } from '../base/dom.ts';
import { onTheme, toggleTheme } from '../base/theme.ts';
import type { GalleryScene } from '../net/protocol.ts';
import { iconButton } from './controls.ts';
import type { Help } from './help.ts';
import { icon } from './icons.ts';

export class GalleryScreen {
  readonly element: HTMLElement;
  private readonly grid = h('div', { class: 'cards' });
  private readonly search: HTMLInputElement;
  private readonly filters = h('div', { class: 'filters', role: 'group', 'aria-label': 'kinds of scenes' });
  private readonly count = h('span', { class: 'count' });
  private scenes: GalleryScene[] = [];
  private readonly cards = new Map<string, HTMLElement>();
  private tag = '';
  private thumbnails: Thumbnails | null = null;
  private readonly watcher: IntersectionObserver;

  constructor(session: Session, help: Help, token: string) {
    this.search = h('input', { type: 'search', placeholder: 'Search ( / )', 'aria-label': 'search', oninput: () => this.filter() });
    this.element = h(
      'div',
      { class: 'gallery' },
      h(
        'header',
        { class: 'bar' },
        h('img', { src: 'icon.svg', alt: '', class: 'logo' }),
        h('h1', {}, 'taut'),
        h('span', { class: 'spring' }),
        h('label', { class: 'search' }, icon('search'), this.search),
        iconButton('theme', 'Dark or light (T)', toggleTheme),
        iconButton('help', 'Help (?)', () => help.toggle()),
      ),
      h('div', { class: 'gallery-body' }, h('div', { class: 'gallery-head' }, this.filters, this.count), this.grid),
    );
    this.watcher = new IntersectionObserver((entries) => this.appear(entries), { rootMargin: '200px' });
    void session.gallery.then((scenes) => this.fill(scenes));
    session.events.on('hello', (hello) => {
      this.thumbnails ??= new Thumbnails(socketAddress(token), hello.taut);
      this.redraw();
    });
    onTheme(() => this.redraw());
  }

  focusSearch(): void {
    this.search.focus();
  }

  /** Thumbnails are drawn only while the gallery is seen. */
  hide(): void {
    this.thumbnails?.forgetWishes();
    this.watcher.disconnect();
  }

  show(): void {
    document.title = 'taut';
    this.redraw();
  }

  private fill(scenes: GalleryScene[]): void {
    this.scenes = scenes;
    const tags = [...new Set(scenes.flatMap((scene) => scene.tags))].sort();
    const button = (tag: string) =>
      h('button', { type: 'button', class: 'chip', 'aria-pressed': String(tag === this.tag), onclick: () => this.choose(tag) }, tag || 'all');
    fill(this.filters, ['', ...tags].map(button));
    for (const scene of scenes) this.cards.set(scene.name, this.card(scene));
    fill(this.grid, [...this.cards.values()]);
    this.filter();
    this.redraw();
  }

  private card(scene: GalleryScene): HTMLElement {
    return h(
      'a',
      { class: 'card', href: `#scene=${encodeURIComponent(scene.name)}`, title: scene.description, 'data-scene': scene.name },
      h('span', { class: 'picture' }),
      h('span', { class: 'card-title' }, scene.title || scene.name),
      h('span', { class: 'card-facts' }, h('code', {}, scene.name), h('span', {}, scene.tags.filter((tag) => tag !== 'rigid').join(', ') || 'rigid')),
    );
  }

  private choose(tag: string): void {
    this.tag = tag;
    for (const button of this.filters.children) button.setAttribute('aria-pressed', String(button.textContent === (tag || 'all')));
    this.filter();
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const scene of this.scenes) {
      const text = [scene.name, scene.title, scene.description, ...scene.tags].join(' ').toLowerCase();
      const isShown = words.every((word) => text.includes(word)) && (!this.tag || scene.tags.includes(this.tag));
      const card = this.cards.get(scene.name);
      if (card) card.hidden = !isShown;
      if (isShown) ++shown;
    }
    fill(this.count, `${shown} ${shown === 1 ? 'scene' : 'scenes'}`);
  }

  private redraw(): void {
    if (!this.thumbnails || !this.element.isConnected) return;
    this.thumbnails.forgetWishes();
    this.watcher.disconnect();
    for (const card of this.cards.values()) this.watcher.observe(card);
  }

  private appear(entries: IntersectionObserverEntry[]): void {
    const wishes: Wish[] = [];
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      this.watcher.unobserve(target);
      const picture = target.querySelector<HTMLElement>('.picture');
      const done = (address: string): void => {
        if (picture) picture.style.backgroundImage = `url(${address})`;
        picture?.classList.add('drawn');
      };
      wishes.push({ scene: target.dataset['scene'] ?? '', done });
    }
    this.thumbnails?.want(wishes);
  }
}
