// Downloads, and a link that shows the same again.

import type { Series } from '../app/series.ts';
import type { Session } from '../app/session.ts';
import { fill, h } from '../base/dom.ts';
import type { Stage } from '../view/stage.ts';
import { icon } from './icons.ts';
import { toast } from './toast.ts';

const filmRate = 30; // frames per second
const filmBits = 12_000_000; // per second

function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export class ShareMenu {
  readonly element: HTMLElement;
  private readonly menu: HTMLElement;
  private readonly filmButton: HTMLButtonElement;
  private recorder: MediaRecorder | null = null;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly series: Series,
    private readonly link: () => Promise<string>,
  ) {
    const item = (label: string, hint: string, act: () => void) =>
      h('button', { type: 'button', role: 'menuitem', onclick: () => (act(), this.close()) }, label, h('small', {}, hint));
    this.filmButton = item('Film', 'WebM, until you stop it', () => this.toggleFilm());
    this.menu = h(
      'div',
      { class: 'menu', role: 'menu', hidden: true },
      item('Copy link', 'shows the same again', () => void this.copyLink()),
      item('Scene', 'JSON, with all changes', () => void this.saveScene()),
      item('Recording', 'of the first run, .taut', () => this.saveRecording()),
      item('Picture', 'PNG', () => this.savePicture()),
      this.filmButton,
      item("Plots' data", 'CSV', () => download(`${this.name}.csv`, new Blob([this.series.csv()], { type: 'text/csv' }))),
    );
    const button = h(
      'button',
      { type: 'button', class: 'flat', 'aria-haspopup': 'menu', title: 'Share and download', onclick: () => (this.menu.hidden = !this.menu.hidden) },
      icon('share'),
      h('span', { class: 'wide-only' }, 'Share'),
    );
    this.element = h('div', { class: 'share' }, button, this.menu);
    document.addEventListener('pointerdown', (event) => {
      if (!this.element.contains(event.target as Node)) this.close();
    });
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  close(): void {
    this.menu.hidden = true;
  }

  private get name(): string {
    return this.session.model?.message.name || 'taut';
  }

  private async copyLink(): Promise<void> {
    const link = await this.link();
    try {
      await navigator.clipboard.writeText(link);
      toast('The link is in the clipboard.');
    } catch {
      window.prompt('The link:', link);
    }
  }

  private async saveScene(): Promise<void> {
    const answer = await this.session.command({ type: 'save' });
    if (answer) download(`${this.name}.json`, new Blob([String(answer['text'])], { type: 'application/json' }));
  }

  private saveRecording(): void {
    const { world } = this.session;
    if (world !== null) h('a', { href: `api/worlds/${world}/recording?run=0`, download: `${this.name}.taut` }).click();
  }

  private savePicture(): void {
    this.stage.draw();
    this.stage.canvas.toBlob((blob) => blob && download(`${this.name}.png`, blob), 'image/png');
  }

  private toggleFilm(): void {
    if (this.recorder) return this.recorder.stop();
    if (typeof MediaRecorder === 'undefined') return toast('This browser cannot record films.', 'error');
    const stream = this.stage.canvas.captureStream(filmRate);
    const kind = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(stream, { ...(kind ? { mimeType: kind } : {}), videoBitsPerSecond: filmBits });
    const parts: Blob[] = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      this.recorder = null;
      document.body.classList.remove('filming');
      fill(this.filmButton, 'Film', h('small', {}, 'WebM, until you stop it'));
      for (const track of stream.getTracks()) track.stop();
      download(`${this.name}.webm`, new Blob(parts, { type: 'video/webm' }));
    };
    recorder.start(1000);
    this.recorder = recorder;
    document.body.classList.add('filming');
    fill(this.filmButton, 'Stop the film', h('small', {}, 'and save it'));
    toast('The picture is filmed. Stop in the menu Share.');
  }
}
