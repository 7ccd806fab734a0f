// Pictures for the gallery: each scene's start, drawn here once and remembered.

import { Connection } from '../net/connection.ts';
import type { StateFrame } from '../net/frames.ts';
import type { RunInfo } from '../net/protocol.ts';
import { theme, type Theme } from '../base/theme.ts';
import { SceneModel } from '../view/scene_model.ts';
import { Stage } from '../view/stage.ts';

const width = 400;
const height = 250;

/** A preview has no runs; one is drawn, in natural colours. */
const nobody: RunInfo = { method: '', chosen: false, reason: '', step: 0, options: {}, colour: { light: '#888', dark: '#888' } };

export interface Wish {
  scene: string;
  done(address: string): void;
}

export class Thumbnails {
  private readonly wishes: Wish[] = [];
  private isBusy = false;
  private connection: Connection | null = null;
  private stage: Stage | null = null;
  private model: SceneModel | null = null;
  private greeted: Promise<void> | null = null;

  constructor(
    private readonly address: string,
    private readonly version: string,
  ) {}

  private key(scene: string, shown: Theme): string {
    return `taut.picture.${this.version}.${shown}.${scene}`;
  }

  /** Each is told when there is a picture. The newest wishes come first: they are what is seen now. */
  want(wishes: Wish[]): void {
    const known = wishes.map(({ scene }) => localStorage.getItem(this.key(scene, theme())));
    wishes.forEach(({ done }, i) => known[i] && done(known[i]));
    this.wishes.unshift(...wishes.filter((_, i) => !known[i]));
    void this.work();
  }

  forgetWishes(): void {
    this.wishes.length = 0;
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    await this.connect();
    for (let wish = this.wishes.shift(); wish; wish = this.wishes.shift()) {
      const picture = await this.draw(wish.scene).catch(() => null);
      if (!picture) continue;
      wish.done(picture);
      this.remember(wish.scene, picture);
    }
    this.isBusy = false;
  }

  private connect(): Promise<void> {
    this.greeted ??= new Promise((resolve) => {
      this.connection = new Connection(this.address, {
        hello: () => resolve(),
        scene: (message) => (this.model = new SceneModel({ ...message, runs: [nobody] })),
        topology: (frame) => this.model?.take(frame),
      });
    });
    return this.greeted;
  }

  private async draw(scene: string): Promise<string> {
    // The scene and its topology come before the state that answers.
    const state = await this.connection!.ask<StateFrame>({ type: 'preview', scene });
    const { model } = this;
    if (!model?.isComplete) throw new Error(`no picture of ${scene}`);
    if (!this.stage) {
      const canvas = document.createElement('canvas');
      this.stage = new Stage(canvas);
      this.stage.resize(width, height, 1);
    }
    this.stage.paint(theme());
    this.stage.setModel(model, false);
    this.stage.show({ ...state, run: 0 });
    this.stage.fit(false);
    this.stage.update(performance.now());
    this.stage.draw();
    return this.stage.canvas.toDataURL('image/webp', 0.85);
  }

  private remember(scene: string, picture: string): void {
    try {
      localStorage.setItem(this.key(scene, theme()), picture);
    } catch {
      // No room: those of other versions make some, and this one is drawn again next time.
      for (const key of Object.keys(localStorage))
        if (key.startsWith('taut.picture.') && !key.startsWith(`taut.picture.${this.version}.`)) localStorage.removeItem(key);
    }
  }
}
