// What the page knows of the server and of the scene that is shown, and what it asks for.

import { Events } from '../base/events.ts';
import { Connection } from '../net/connection.ts';
import type { Frame, StateFrame } from '../net/frames.ts';
import type {
  Answer,
  GalleryScene,
  HelloMessage,
  Method,
  RunRequest,
  SceneMessage,
  ShowRequest,
  StatusMessage,
} from '../net/protocol.ts';
import { SceneModel } from '../view/scene_model.ts';

export interface Opening {
  scene?: string;
  text?: string;
  parameters?: Record<string, number>;
  inputs?: Record<string, number>;
  runs?: RunRequest[];
  play?: boolean;
}

interface SessionEvents extends Record<string, unknown> {
  hello: HelloMessage;
  /** A scene with all that belongs to it; `isNew`: another world, not a change of this one. */
  model: { model: SceneModel; isNew: boolean };
  status: StatusMessage;
  /** The newest state of a run. */
  state: StateFrame;
  trouble: string;
  lost: undefined;
}

async function fetched<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
  return (await response.json()) as T;
}

export class Session {
  readonly events = new Events<SessionEvents>();
  readonly connection: Connection;
  readonly methods: Promise<Method[]> = fetched<Method[]>('api/methods');
  readonly gallery: Promise<GalleryScene[]> = fetched<GalleryScene[]>('api/scenes');
  hello: HelloMessage | null = null;
  model: SceneModel | null = null;
  status: StatusMessage | null = null;
  world: string | null = null;
  /** Parameters that were given a value, and not left to the scene. */
  parameters: Record<string, number> = {};
  /** To open it again when the server was restarted. */
  private opening: Opening | null = null;
  private pending: SceneModel | null = null;
  private early: StateFrame[] = [];
  private generation = -1;
  private shown: ShowRequest = {};

  constructor(address: string) {
    this.connection = new Connection(address, {
      hello: (message) => this.receiveHello(message),
      scene: (message) => this.receiveScene(message),
      status: (message) => this.receiveStatus(message),
      topology: (frame) => this.receiveTopology(frame),
      state: (state) => this.receiveState(state),
      trouble: (message) => this.events.emit('trouble', message),
      lost: () => this.events.emit('lost', undefined),
    });
  }

  get canControl(): boolean {
    return this.hello?.control ?? false;
  }

  async open(opening: Opening): Promise<void> {
    this.opening = opening;
    this.parameters = { ...opening.parameters };
    const { inputs, ...wish } = opening;
    const chosen = Object.entries(inputs ?? {});
    // Inputs are set before anything moves.
    const answer = await this.connection.ask({ type: 'open', ...wish, play: (wish.play ?? true) && chosen.length === 0 });
    this.world = answer['world'] as string;
    for (const [name, value] of chosen) await this.command({ type: 'input', name, value });
    if ((wish.play ?? true) && chosen.length > 0) await this.command({ type: 'play' });
  }

  async watch(world: string): Promise<void> {
    await this.connection.ask({ type: 'watch', world });
    this.world = world;
  }

  leave(): void {
    this.opening = null;
    this.world = null;
    this.model = null;
    this.pending = null;
    this.status = null;
    this.connection.send({ type: 'leave' });
  }

  show(request: ShowRequest): void {
    Object.assign(this.shown, request);
    this.connection.send({ type: 'show', ...this.shown });
  }

  /** Gives parameters values; `keep`: it goes on from where everything is. */
  async setParameters(parameters: Record<string, number>, keep: boolean): Promise<void> {
    await this.connection.ask({ type: 'set', parameters, keep });
    Object.assign(this.parameters, parameters);
    if (this.opening) this.opening.parameters = this.parameters;
  }

  /** Asks for something; what is refused is told to whoever listens to `trouble`. */
  async command(message: Record<string, unknown>): Promise<Answer | null> {
    try {
      return await this.connection.ask(message);
    } catch (error) {
      this.events.emit('trouble', error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /** What was changed since it was opened, so that it comes back after a restart as it was. */
  private rememberChanges(message: SceneMessage): void {
    if (!this.opening || message.kind !== 'simulation') return;
    this.opening.parameters = this.parameters;
    this.opening.runs = message.runs.map(({ method, step, options }) => ({ method, step, options }));
  }

  private async receiveHello(message: HelloMessage): Promise<void> {
    const isReturn = this.hello !== null;
    this.hello = message;
    if (Object.keys(this.shown).length) this.connection.send({ type: 'show', ...this.shown });
    this.events.emit('hello', message);
    if (!isReturn || this.world === null) return;
    const { world, opening } = this;
    const wasPlaying = this.status?.playing ?? true;
    this.generation = -1;
    try {
      // A world of a restarted server may have the same number, and be another.
      const known = await this.connection.ask<{ worlds: { world: string; name: string }[] }>({ type: 'worlds' });
      const same = known.worlds.find((x) => x.world === world && x.name === this.model?.message.name);
      if (same) await this.watch(world);
      else if (opening && this.canControl) await this.open({ ...opening, play: wasPlaying });
      else if (message.start !== null) await this.watch(message.start);
    } catch (error) {
      this.events.emit('trouble', error instanceof Error ? error.message : String(error));
    }
  }

  private receiveScene(message: SceneMessage): void {
    this.generation = message.generation;
    this.rememberChanges(message);
    this.early = [];
    this.pending = new SceneModel(message);
    this.finish();
  }

  private receiveTopology(frame: Frame): void {
    if (frame.generation !== this.generation || !this.pending) return;
    this.pending.take(frame);
    this.finish();
  }

  private finish(): void {
    const model = this.pending;
    if (!model?.isComplete) return;
    this.pending = null;
    const isNew = this.model?.message.world !== model.message.world || this.model.message.name !== model.message.name;
    this.model = model;
    this.events.emit('model', { model, isNew });
    for (const state of this.early) this.events.emit('state', state);
    this.early = [];
  }

  private receiveState(state: StateFrame): void {
    if (state.generation !== this.generation) return;
    if (this.pending) this.early.push(state);
    else this.events.emit('state', state);
  }

  private receiveStatus(message: StatusMessage): void {
    if (message.generation !== this.generation) return;
    this.status = message;
    this.events.emit('status', message);
  }
}
