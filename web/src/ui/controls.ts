// Small controls that several panels use.

import { h } from '../base/dom.ts';
import { icon, type IconName } from './icons.ts';

export function iconButton(name: IconName, title: string, act: () => void, more: Record<string, unknown> = {}): HTMLButtonElement {
  return h('button', { type: 'button', class: 'icon-button', title, 'aria-label': title, onclick: act, ...more }, icon(name));
}

export function setIcon(button: HTMLElement, name: IconName): void {
  button.replaceChildren(icon(name));
}

/** A row of choices of which one is on. */
export class Segments<T extends string> {
  readonly element: HTMLElement;
  private readonly buttons = new Map<T, HTMLButtonElement>();

  constructor(label: string, choices: { value: T; label: string; title?: string }[], act: (value: T) => void) {
    this.element = h('div', { class: 'segments', role: 'group', 'aria-label': label });
    for (const { value, label: text, title } of choices) {
      const button = h('button', { type: 'button', title, onclick: () => act(value) }, text);
      this.buttons.set(value, button);
      this.element.append(button);
    }
  }

  set(value: T): void {
    for (const [each, button] of this.buttons) button.setAttribute('aria-pressed', String(each === value));
  }

  enable(value: T, enabled: boolean): void {
    const button = this.buttons.get(value);
    if (button) button.disabled = !enabled;
  }
}

export function toggle(label: string, isOn: boolean, act: (isOn: boolean) => void): HTMLLabelElement {
  const box = h('input', { type: 'checkbox', checked: isOn, onchange: () => act(box.checked) });
  return h('label', { class: 'toggle' }, box, h('span', { class: 'switch' }), label);
}

export interface SliderOptions {
  label: string;
  unit: string;
  description: string;
  value: number;
  min: number;
  max: number;
  integer?: boolean;
  hardMin?: number | undefined;
  hardMax?: number | undefined;
  act(value: number): void;
}

const sliderSteps = 200;

/** A slider with its number, which may go beyond the slider's ends. */
export class Slider {
  readonly element: HTMLElement;
  private readonly range: HTMLInputElement;
  private readonly field: HTMLInputElement;

  constructor(private readonly options: SliderOptions) {
    const { label, unit, description, min, max, integer } = options;
    const step = integer ? Math.max(1, Math.round((max - min) / sliderSteps)) : (max - min) / sliderSteps;
    this.range = h('input', { type: 'range', min, max, step, 'aria-label': label, oninput: () => this.change(Number(this.range.value)) });
    this.field = h('input', {
      type: 'number',
      step: 'any',
      'aria-label': `${label}${unit ? ` in ${unit}` : ''}`,
      onchange: () => this.change(Number(this.field.value)),
      onkeydown: (event: KeyboardEvent) => event.key === 'Enter' && this.field.blur(),
    });
    this.element = h(
      'div',
      { class: 'slider', title: description },
      h('span', { class: 'slider-label' }, label, description ? h('small', {}, description) : null),
      h('span', { class: 'slider-value' }, this.field, h('span', { class: 'unit' }, unit)),
      this.range,
    );
    this.set(options.value);
  }

  set(value: number): void {
    this.range.value = String(value);
    if (document.activeElement !== this.field) this.field.value = String(Number(value.toPrecision(6)));
    const { min, max } = this.options;
    const share = max > min ? Math.min(1, Math.max(0, (value - min) / (max - min))) : 0;
    this.range.style.setProperty('--share', `${100 * share}%`);
  }

  private change(value: number): void {
    if (!Number.isFinite(value)) return;
    const { hardMin, hardMax, integer } = this.options;
    let allowed = integer ? Math.round(value) : Number(value.toPrecision(6));
    if (hardMin !== undefined) allowed = Math.max(hardMin, allowed);
    if (hardMax !== undefined) allowed = Math.min(hardMax, allowed);
    this.set(allowed);
    if (allowed !== value) this.field.value = String(allowed); // also while it is being edited
    this.options.act(allowed);
  }
}
