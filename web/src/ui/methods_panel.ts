// Which methods run, with which steps and options, side by side.

import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { theme, onTheme } from '../base/theme.ts';
import type { Method, MethodOption, RunRequest, SceneMessage } from '../net/protocol.ts';
import { iconButton, Segments } from './controls.ts';
import { icon } from './icons.ts';

const mostRuns = 16;

export class MethodsPanel {
  readonly element = h('div', { class: 'panel-body' });
  private readonly list = h('ol', { class: 'runs' });
  private readonly chips = h('div', { class: 'chips' });
  private methods: Method[] = [];
  private message: SceneMessage | null = null;
  private from: 'start' | 'now' = 'start';

  constructor(private readonly session: Session) {
    const from = new Segments(
      'where runs begin',
      [
        { value: 'start' as const, label: 'From the start' },
        { value: 'now' as const, label: 'From now', title: 'All begin at the state of the first run' },
      ],
      (value) => {
        this.from = value;
        from.set(value);
      },
    );
    from.set(this.from);
    fill(
      this.element,
      h('section', {}, h('h3', {}, 'Runs'), this.list, h('button', { type: 'button', class: 'small', onclick: () => this.add() }, icon('plus'), 'Add a run')),
      h('section', {}, h('h3', {}, 'After a change, begin'), from.element),
      h('section', {}, h('h3', {}, 'Methods'), h('p', { class: 'hint' }, 'Click to add a method, or to take it away.'), this.chips),
    );
    session.events.on('model', ({ model }) => this.show(model.message));
    onTheme(() => this.message && this.show(this.message));
    void session.methods.then((methods) => {
      this.methods = methods;
      if (this.message) this.show(this.message);
    });
  }

  private get requests(): RunRequest[] {
    return (this.message?.runs ?? []).map(({ method, step, options }) => ({ method, step, options }));
  }

  private change(runs: RunRequest[]): void {
    if (runs.length && runs.length <= mostRuns) void this.session.command({ type: 'runs', runs, from: this.from });
  }

  private edit(index: number, change: Partial<RunRequest>): void {
    this.change(this.requests.map((run, i) => (i === index ? { ...run, ...change } : run)));
  }

  private add(): void {
    const runs = this.requests;
    const used = new Set(runs.map((run) => run.method));
    const next = this.methods.find((method) => !used.has(method.name)) ?? this.methods[0];
    if (next) this.change([...runs, { method: next.name, ...stepOf(runs[0]) }]);
  }

  private toggle(name: string): void {
    const runs = this.requests;
    const rest = runs.filter((run) => run.method !== name);
    if (rest.length === runs.length) this.change([...runs, { method: name, ...stepOf(runs[0]) }]);
    else this.change(rest);
  }

  private show(message: SceneMessage): void {
    // A field that is being edited keeps its place; the server's answer comes right after it.
    this.message = message;
    const disabled = !this.session.canControl || message.kind === 'recording';
    fill(this.list, message.runs.map((_, index) => this.row(index, disabled)));
    const used = new Set(message.runs.map((run) => run.method));
    fill(
      this.chips,
      this.methods.map((method) =>
        h(
          'button',
          {
            type: 'button',
            class: 'chip',
            title: method.summary,
            disabled,
            'aria-pressed': String(used.has(method.name)),
            style: `--method: ${method.colour[theme()]}`,
            onclick: () => this.toggle(method.name),
          },
          method.name,
        ),
      ),
    );
  }

  private row(index: number, disabled: boolean): HTMLElement {
    const run = this.message!.runs[index]!;
    const method = this.methods.find((each) => each.name === run.method);
    const select = h(
      'select',
      { 'aria-label': 'method', disabled, title: method?.summary ?? '', onchange: () => this.edit(index, { method: select.value, options: {} }) },
      this.methods.map(({ name }) => h('option', { value: name, selected: name === run.method }, name)),
    );
    const step = h('input', {
      type: 'number',
      step: 'any',
      min: 0,
      value: String(run.step),
      disabled,
      'aria-label': 'step in s',
      onchange: () => Number(step.value) > 0 && this.edit(index, { step: Number(step.value) }),
    });
    const options = method?.options ?? [];
    return h(
      'li',
      { class: 'run', style: `--method: ${run.colour[theme()]}` },
      h(
        'div',
        { class: 'run-head' },
        h('span', { class: 'dot' }),
        select,
        h('label', { class: 'step' }, step, h('span', { class: 'unit' }, 's')),
        iconButton('close', 'Take this run away', () => this.change(this.requests.filter((_, i) => i !== index)), {
          disabled: disabled || this.requests.length < 2,
        }),
      ),
      run.chosen && run.reason ? h('p', { class: 'hint' }, `Chosen by auto: ${run.reason}`) : null,
      options.length
        ? h(
            'details',
            {},
            h('summary', {}, `${options.length} option${options.length > 1 ? 's' : ''}`),
            options.map((option) => this.optionField(index, option, run.options[option.name], disabled)),
          )
        : null,
    );
  }

  private optionField(index: number, option: MethodOption, value: unknown, disabled: boolean): HTMLElement {
    const shown = value === undefined ? option.default : String(value);
    const set = (given: unknown): void => {
      const options = { ...this.message?.runs[index]?.options, [option.name]: given };
      this.edit(index, { options });
    };
    const choices = option.choices ?? (option.type === 'true or false' ? ['true', 'false'] : null);
    let field: HTMLElement;
    if (choices) {
      const select = h(
        'select',
        { disabled, onchange: () => set(option.choices ? select.value : select.value === 'true') },
        choices.map((choice) => h('option', { value: choice, selected: choice === shown }, choice)),
      );
      field = select;
    } else {
      const input = h('input', { type: 'number', step: 'any', value: shown, disabled, onchange: () => set(Number(input.value)) });
      field = input;
    }
    return h('label', { class: 'option', title: option.description }, h('span', {}, option.name), field, h('span', { class: 'unit' }, option.unit));
  }
}

function stepOf(run: RunRequest | undefined): { step?: number } {
  return run?.step === undefined ? {} : { step: run.step };
}
