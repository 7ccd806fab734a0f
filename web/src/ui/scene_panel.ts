// The scene's inputs, parameters and gravity as sliders. Inputs are set while it runs; the others
// change the scene, live or with a new start.

import { toast } from './toast.ts';
import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { Refusal, type Input, type Parameter, type SceneMessage, type Vector } from '../net/protocol.ts';
import { latest } from '../base/latest.ts';
import { Segments, Slider } from './controls.ts';

/** A slider needs ends; a scene need not give them. */
function sliderEnds({ min, max }: Parameter, usual: number): [number, number] {
  const size = Math.abs(usual) || 1;
  const low = min ?? (usual > 0 ? 0.1 * size : usual < 0 ? -3 * size : -1);
  const high = max ?? (usual < 0 && min === undefined ? 0 : Math.max(3 * size, low + size));
  // A range of many powers of ten, as 2 … 3000, would leave the usual value at its very end.
  return [low, max !== undefined && max > 20 * size && usual !== 0 ? 4 * size : high];
}

/** How long a slider that a person moves does not follow what comes from the server, in ms. */
const ownTime = 400;

/** An input: what is chosen goes to all runs, what is shown is what the frame has. */
class InputSlider {
  readonly slider: Slider;
  private chosenAt = -Infinity;

  constructor(input: Input, session: Session) {
    const [min, max] = sliderEnds({ ...input, value: input.start }, input.start);
    const send = latest((value: number) => session.command({ type: 'input', name: input.name, value }));
    this.slider = new Slider({
      label: input.name,
      unit: input.unit,
      description: input.description,
      value: input.start,
      min: input.min ?? Math.min(min, -max),
      max,
      hardMin: input.min,
      hardMax: input.max,
      act: (value) => {
        this.chosenAt = performance.now();
        send(value);
      },
    });
  }

  show(value: number): void {
    if (performance.now() - this.chosenAt > ownTime) this.slider.set(value);
  }
}

type Change = { parameters: Record<string, number> } | { gravity: Vector };

/** Parameters that the scene computes from others: rarely what a person wants to turn. */
function derived(message: SceneMessage): Set<string> {
  try {
    const { parameters } = JSON.parse(message.text ?? '{}') as { parameters?: Record<string, { value?: unknown }> };
    return new Set(Object.entries(parameters ?? {}).filter(([, each]) => typeof each.value === 'string').map(([name]) => name));
  } catch {
    return new Set();
  }
}

export class ScenePanel {
  readonly element = h('div', { class: 'panel-body' });
  private readonly sliders = new Map<string, Slider>();
  private inputs: InputSlider[] = [];
  private gravity: Slider | null = null;
  private shape = '';
  private keep = true;
  private readonly send: (change: Change) => void;

  constructor(private readonly session: Session) {
    this.send = latest((change) => this.change(change));
    session.events.on('model', ({ model }) => this.show(model.message));
  }

  /** What the inputs were, or are, where the state that is shown was. */
  showInputs(values: Float64Array | null): void {
    values?.forEach((value, i) => this.inputs[i]?.show(value));
  }

  /** Live if that is possible; another number of bodies needs a new start. */
  private async change(change: Change): Promise<void> {
    const set = (keep: boolean): Promise<unknown> =>
      'gravity' in change ? this.session.connection.ask({ type: 'set', ...change, keep }) : this.session.setParameters(change.parameters, keep);
    try {
      await set(this.keep);
    } catch (first) {
      try {
        if (!this.keep) throw first;
        await set(false);
        toast('That change needs a new start: it begins again.');
      } catch (error) {
        toast(error instanceof Refusal ? error.message : String(error), 'error');
        if (this.session.model) this.show(this.session.model.message);
      }
    }
  }

  private show(message: SceneMessage): void {
    const shape = JSON.stringify([message.world, message.name, message.parameters.map((p) => p.name), message.inputs, message.gravity.some(Boolean)]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build(message);
    }
    for (const parameter of message.parameters) this.sliders.get(parameter.name)?.set(parameter.value);
    this.gravity?.set(Math.hypot(...message.gravity));
  }

  private inputSection(): HTMLElement | null {
    return this.inputs.length ? h('section', { class: 'inputs' }, h('h3', {}, 'Inputs'), this.inputs.map((each) => each.slider.element)) : null;
  }

  private build(message: SceneMessage): void {
    this.sliders.clear();
    this.inputs = [];
    this.gravity = null;
    if (message.kind === 'recording') {
      const about = 'This is a recording: it can be looked at from all sides and played, and nothing in it can be changed.';
      this.inputs = (message.inputs ?? []).map((input) => new InputSlider(input, this.session));
      return fill(this.element, h('p', { class: 'description' }, message.description || about), h('fieldset', { class: 'plain', disabled: true }, this.inputSection()));
    }
    const disabled = !this.session.canControl;
    const slider = (parameter: Parameter): HTMLElement => {
      const [min, max] = sliderEnds(parameter, message.defaults?.[parameter.name] ?? parameter.value);
      const made = new Slider({
        label: parameter.name,
        unit: parameter.unit,
        description: parameter.description,
        value: parameter.value,
        min,
        max,
        integer: parameter.integer ?? false,
        hardMin: parameter.min,
        hardMax: parameter.max,
        act: (value) => this.send({ parameters: { [parameter.name]: value } }),
      });
      this.sliders.set(parameter.name, made);
      return made.element;
    };
    const computed = derived(message);
    const parameters = message.parameters.filter((each) => !computed.has(each.name)).map(slider);
    const others = message.parameters.filter((each) => computed.has(each.name)).map(slider);
    this.inputs = (message.inputs ?? []).map((input) => new InputSlider(input, this.session));
    const size = Math.hypot(...message.gravity);
    this.gravity = new Slider({
      label: 'gravity',
      unit: 'm/s²',
      description: 'on Earth 9.81',
      value: size,
      min: 0,
      max: 20,
      hardMin: 0,
      act: (value) => this.send({ gravity: message.up.map((x) => -x * value + 0) as Vector }),
    });
    const when = new Segments(
      'what a change does',
      [
        { value: 'live', label: 'Change it live', title: 'It goes on from where everything is' },
        { value: 'restart', label: 'Start anew', title: 'Every change begins at time 0' },
      ],
      (value) => {
        this.keep = value === 'live';
        when.set(value);
      },
    );
    when.set(this.keep ? 'live' : 'restart');
    fill(
      this.element,
      message.description ? h('p', { class: 'description' }, message.description) : null,
      h(
        'fieldset',
        { class: 'plain', disabled },
        this.inputSection(),
        h(
          'section',
          {},
          h('h3', {}, 'Parameters'),
          when.element,
          parameters.length ? parameters : h('p', { class: 'empty' }, 'This scene has no parameters of its own.'),
          others.length ? h('details', { class: 'others' }, h('summary', {}, `${others.length} computed from these`), others) : null,
        ),
        h('section', {}, h('h3', {}, 'World'), this.gravity.element),
      ),
      h('button', { type: 'button', class: 'small', disabled, onclick: () => this.restore() }, 'Restore the defaults'),
    );
  }

  private restore(): void {
    const { model } = this.session;
    if (!model) return;
    const { defaults } = model.message;
    const changed = Object.keys(this.session.parameters).filter((name) => defaults?.[name] !== undefined);
    this.send({ parameters: Object.fromEntries(changed.map((name) => [name, defaults![name]!])) });
  }
}
