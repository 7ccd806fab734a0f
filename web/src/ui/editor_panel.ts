// The scene's JSON: edited here, checked by the server, errors shown at their line.

import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import { Refusal } from '../net/protocol.ts';
import { colouredJson } from './json_colours.ts';
import { toast } from './toast.ts';

const checkAfter = 350; // ms without a key
const lineHeight = 18; // px, as in the style sheet

export class EditorPanel {
  readonly element: HTMLElement;
  private readonly area: HTMLTextAreaElement;
  private readonly gutter = h('div', { class: 'gutter', 'aria-hidden': true });
  private readonly coloured = h('pre', { class: 'coloured', 'aria-hidden': true });
  private readonly mark = h('div', { class: 'error-line', hidden: true });
  private readonly note = h('div', { class: 'error-note', role: 'alert', hidden: true });
  private readonly verdict = h('span', { class: 'verdict' });
  private readonly applyButton: HTMLButtonElement;
  private original = '';
  private lines = 0;
  private timer = 0;

  constructor(private readonly session: Session) {
    this.area = h('textarea', {
      spellcheck: 'false',
      wrap: 'off',
      autocapitalize: 'off',
      autocomplete: 'off',
      'aria-label': "the scene's JSON",
      oninput: () => this.edited(),
      onscroll: () => this.follow(),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    this.applyButton = h('button', { type: 'button', class: 'primary small', title: 'Ctrl+Enter', onclick: () => void this.apply() }, 'Apply');
    this.element = h(
      'div',
      { class: 'editor' },
      h('div', { class: 'editor-code' }, this.gutter, h('div', { class: 'editor-text' }, this.coloured, this.mark, this.area, this.note)),
      h(
        'div',
        { class: 'editor-bar' },
        this.verdict,
        h('button', { type: 'button', class: 'small', onclick: () => this.load(this.original) }, 'Revert'),
        this.applyButton,
      ),
    );
    session.events.on('model', ({ model, isNew }) => {
      // Text that a person is editing stays, whatever else changes.
      const isEdited = this.area.value !== this.original;
      const text = model.message.text;
      if (text !== undefined && (isNew || !isEdited)) this.load(text);
      else if (text === undefined && isNew) void this.fetchText(model.message.kind === 'recording');
      else if (text !== undefined) this.original = text;
    });
  }

  /** Long texts do not come by themselves. */
  private async fetchText(isRecording: boolean): Promise<void> {
    this.load('');
    if (isRecording) return;
    const answer = await this.session.command({ type: 'save' });
    if (answer) this.load(String(answer['text']));
  }

  focus(): void {
    this.area.focus();
  }

  private load(text: string): void {
    this.original = text;
    this.area.value = text;
    this.clearError();
    this.redraw();
    fill(this.verdict, '');
    this.applyButton.disabled = true;
  }

  private edited(): void {
    this.redraw();
    this.clearError();
    this.applyButton.disabled = !this.session.canControl;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), checkAfter);
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void this.apply();
    } else if (event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      document.execCommand('insertText', false, '  ');
    } else if (event.key === 'Escape') this.area.blur();
  }

  private async check(): Promise<void> {
    const text = this.area.value;
    try {
      await this.session.connection.ask({ type: 'check', text });
      if (text === this.area.value) this.tell('ok', 'No errors.');
    } catch (error) {
      if (text === this.area.value) this.showError(error);
    }
  }

  private async apply(): Promise<void> {
    const text = this.area.value;
    window.clearTimeout(this.timer);
    try {
      await this.session.connection.ask({ type: 'edit', text });
      this.clearError();
      this.original = text;
      this.applyButton.disabled = true;
      this.tell('ok', 'Applied.');
    } catch (error) {
      this.showError(error);
      if (!(error instanceof Refusal && error.line)) toast(String(error instanceof Error ? error.message : error), 'error');
    }
  }

  private tell(kind: 'ok' | 'bad', text: string): void {
    this.verdict.className = `verdict ${kind}`;
    fill(this.verdict, text);
  }

  private showError(error: unknown): void {
    const refusal = error instanceof Refusal ? error : new Refusal(String(error));
    this.tell('bad', refusal.line ? `Line ${refusal.line}` : refusal.message);
    if (!refusal.line) return;
    const line = refusal.line;
    const top = (line - 1) * lineHeight;
    this.mark.style.top = this.note.style.top = `${top}px`;
    this.mark.hidden = this.note.hidden = false;
    this.mark.dataset['line'] = this.note.dataset['line'] = String(line);
    fill(this.note, refusal.message);
    this.gutter.children[line - 1]?.classList.add('bad');
    const { scrollTop, clientHeight } = this.area;
    if (top < scrollTop || top > scrollTop + clientHeight - 5 * lineHeight) this.area.scrollTop = Math.max(0, top - clientHeight / 3);
    this.follow();
  }

  private clearError(): void {
    this.mark.hidden = this.note.hidden = true;
    for (const bad of this.gutter.querySelectorAll('.bad')) bad.classList.remove('bad');
  }

  private redraw(): void {
    const text = this.area.value;
    this.coloured.innerHTML = `${colouredJson(text)}\n`;
    const lines = text.split('\n').length;
    if (lines !== this.lines) {
      this.lines = lines;
      fill(this.gutter, Array.from({ length: lines }, (_, i) => h('span', {}, String(i + 1))));
    }
    this.follow();
  }

  /** What lies under and over the text scrolls with it. */
  private follow(): void {
    const { scrollTop, scrollLeft } = this.area;
    this.coloured.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.gutter.style.transform = this.mark.style.transform = this.note.style.transform = `translateY(${-scrollTop}px)`;
  }
}
