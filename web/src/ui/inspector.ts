// What is selected: its name, live values, and what can be done with it.

import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { quantity, vector } from '../base/format.ts';
import type { ShownValue, ValuesAnswer } from '../net/protocol.ts';
import type { Picked } from '../view/picker.ts';
import type { SceneModel } from '../view/scene_model.ts';
import { iconButton } from './controls.ts';
import { icon } from './icons.ts';

const askEvery = 200; // ms

/** Links have no numbers of constraints: found by type and bodies, in the order of both lists. */
function constraintOfLink(model: SceneModel, link: number): number | null {
  const { links } = model;
  const wanted = links?.[link];
  if (!links || !wanted) return null;
  const type = model.message.links.types[wanted.type];
  const joins = (a: number, b: number) => [a, b].filter((x) => x >= 0).sort().join();
  const key = joins(wanted.a, wanted.b);
  const before = links.slice(0, link).filter((each) => each.type === wanted.type && joins(each.a, each.b) === key).length;
  const matching = model.message.constraints
    .map((constraint, index) => ({ constraint, index }))
    .filter(({ constraint }) => constraint.type === type && constraint.bodies.filter((x) => x >= 0).sort().join() === key);
  return matching[before]?.index ?? null;
}

function text({ value, unit }: ShownValue): string {
  if (typeof value === 'number') return quantity(value, unit);
  if (typeof value === 'string') return value;
  return vector(value, unit);
}

export interface InspectorActions {
  pin(): void;
  push(): void;
  close(): void;
}

export class Inspector {
  readonly element = h('aside', { class: 'inspector', hidden: true, 'aria-label': 'selection' });
  private readonly title = h('h2');
  private readonly kind = h('span', { class: 'kind' });
  private readonly table = h('dl');
  private readonly buttons: HTMLElement;
  private readonly pinButton: HTMLButtonElement;
  private question: Record<string, unknown> | null = null;
  private lastAsked = 0;
  private isAsking = false;

  constructor(
    private readonly session: Session,
    actions: InspectorActions,
  ) {
    this.pinButton = h('button', { type: 'button', class: 'small', title: 'P', onclick: () => actions.pin() }, icon('pin'), 'Pin');
    this.buttons = h(
      'div',
      { class: 'buttons' },
      this.pinButton,
      h('button', { type: 'button', class: 'small', title: 'X: away from the camera', onclick: () => actions.push() }, icon('push'), 'Push'),
    );
    this.element.append(
      h('header', {}, this.title, this.kind, iconButton('close', 'Close (Esc)', () => actions.close())),
      this.table,
      this.buttons,
    );
  }

  select(picked: Picked | null): void {
    const { model } = this.session;
    this.question = null;
    if (picked && model) {
      if (picked.body !== undefined) this.question = { type: 'values', run: picked.run, body: picked.body };
      else if (picked.joint !== undefined) this.question = { type: 'values', run: picked.run, joint: picked.joint };
      else if (picked.link !== undefined) {
        const constraint = constraintOfLink(model, picked.link);
        if (constraint !== null) this.question = { type: 'values', run: picked.run, constraint };
      }
    }
    this.element.hidden = this.question === null;
    this.buttons.hidden = picked?.body === undefined || !this.session.canControl;
    if (!this.question || !picked || !model) return;
    fill(this.title, picked.body !== undefined ? model.bodyName(picked.body) : (model.message.joints[picked.joint ?? -1]?.name ?? ''));
    fill(this.kind, '');
    fill(this.table);
    this.lastAsked = 0;
  }

  /** Whether the body is held already. */
  setPinned(isPinned: boolean): void {
    fill(this.pinButton, icon('pin'), isPinned ? 'Unpin' : 'Pin');
  }

  update(now: number): void {
    if (!this.question || this.isAsking || now - this.lastAsked < askEvery) return;
    this.lastAsked = now;
    void this.ask(this.question);
  }

  private async ask(question: Record<string, unknown>): Promise<void> {
    this.isAsking = true;
    try {
      const answer = await this.session.connection.ask<ValuesAnswer>(question);
      if (question === this.question) this.show(answer);
    } catch {
      if (question === this.question) fill(this.table, h('dd', { class: 'empty' }, 'no values'));
    } finally {
      this.isAsking = false;
    }
  }

  private show({ title, kind, values }: ValuesAnswer): void {
    fill(this.title, title);
    const model = this.session.model;
    const run = model && model.message.runs.length > 1 ? model.message.runs[Number(this.question?.['run'] ?? 0)]?.method : '';
    fill(this.kind, [kind, run].filter(Boolean).join(' · '));
    fill(this.table, values.flatMap((value) => [h('dt', {}, value.name), h('dd', {}, text(value))]));
  }
}
