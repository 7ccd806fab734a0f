// Elements in one expression: h('button', { class: 'flat', onclick: go }, 'Go').

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  for (const child of children.flat()) if (child) element.append(child);
  return element;
}

function set(element: HTMLElement, name: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on') && typeof value === 'function')
    element.addEventListener(name.slice(2), value as EventListener);
  else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'selected')
    Reflect.set(element, name, value);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** Replaces the content of an element. */
export function fill(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren(...(children.flat().filter(Boolean) as (Node | string)[]));
}

export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element as T;
}

/** Whether keys belong to a field that is being typed in. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'radio', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
