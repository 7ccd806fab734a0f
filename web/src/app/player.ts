// What is shown: the present of the simulation, or something that was recorded.

import { Events } from '../base/events.ts';
import type { StateFrame } from '../net/frames.ts';
import type { Stage } from '../view/stage.ts';
import type { Session } from './session.ts';

interface PlayerEvents extends Record<string, unknown> {
  /** The time that is shown, or whether it plays, has changed. */
  change: undefined;
}

export class Player {
  readonly events = new Events<PlayerEvents>();
  /** Simulated seconds per second; 0: as fast as possible. */
  speed = 1;
  /** The time that is shown. */
  time = 0;
  private past: number | null = null;
  private replaying = false;
  private fetching: Promise<void> | null = null;
  private wanted: number | null = null;
  private received = 0; // live states
  private lastTick = 0;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
  ) {
    session.events.on('model', ({ isNew }) => {
      if (isNew) this.leavePast();
    });
    session.events.on('state', (state) => this.receive(state));
    session.events.on('status', (status) => {
      if (this.past === null && status.playing) this.speed = status.speed;
      this.events.emit('change', undefined);
    });
  }

  get isInPast(): boolean {
    return this.past !== null;
  }

  get isPlaying(): boolean {
    return this.past !== null ? this.replaying : (this.session.status?.playing ?? false);
  }

  private get isRecording(): boolean {
    return this.session.model?.message.kind === 'recording';
  }

  /** From when to when there is something to show. */
  get range(): [number, number] {
    const runs = this.session.status?.runs ?? [];
    if (!runs.length) return [0, 0];
    return [Math.min(...runs.map((run) => run.history.first)), Math.max(...runs.map((run) => run.history.last))];
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** In the past: shows what was recorded, and goes on from its end. */
  play(): void {
    const [first, last] = this.range;
    if (this.isRecording && this.time >= last) this.past = first; // once more
    if (this.past === null) void this.session.command({ type: 'play', speed: this.speed });
    else {
      this.replaying = true;
      this.lastTick = performance.now();
    }
    this.events.emit('change', undefined);
  }

  pause(): void {
    this.replaying = false;
    if (this.past === null || this.session.status?.playing) void this.session.command({ type: 'pause' });
    this.events.emit('change', undefined);
  }

  step(count = 1): void {
    this.leavePast();
    void this.session.command({ type: 'step', count });
  }

  reset(): void {
    this.leavePast();
    void this.session.command({ type: 'reset' });
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.past === null && this.isPlaying) void this.session.command({ type: 'play', speed });
    this.events.emit('change', undefined);
  }

  /** Shows what was recorded at a time, and holds the simulation. */
  scrub(time: number): Promise<void> {
    const [first, last] = this.range;
    this.past = Math.min(last, Math.max(first, time));
    if (this.session.status?.playing) void this.session.command({ type: 'pause' });
    this.events.emit('change', undefined);
    return this.fetch(this.past);
  }

  /** Back to the present. */
  leavePast(): void {
    if (this.past === null) return;
    this.past = null;
    this.replaying = false;
    const [, last] = this.range;
    void this.fetch(last);
    this.events.emit('change', undefined);
  }

  /** What is shown, asked for again: with other colours or arrows. */
  refetch(): Promise<void> {
    return this.fetch(this.past ?? this.range[1]);
  }

  /** Every run goes on from what is shown; what came after is forgotten. */
  async continueHere(): Promise<void> {
    const { past } = this;
    if (past === null) return;
    const answer = await this.session.command({ type: 'rewind', time: past });
    if (!answer) return;
    this.past = null;
    this.replaying = false;
    void this.session.command({ type: 'play', speed: this.speed });
    this.events.emit('change', undefined);
  }

  /** Once per displayed picture. */
  tick(now: number): void {
    if (this.past === null || !this.replaying) return;
    const [, last] = this.range;
    this.past += ((now - this.lastTick) / 1000) * (this.speed || 1);
    this.lastTick = now;
    if (this.past >= last) {
      this.leavePast();
      if (!this.isRecording) this.play();
      return;
    }
    void this.fetch(this.past);
    this.events.emit('change', undefined);
  }

  /** One request at a time; the newest wish wins. Resolves when it is shown. */
  private fetch(time: number): Promise<void> {
    this.wanted = time;
    this.fetching ??= this.fetchWanted();
    return this.fetching;
  }

  private async fetchWanted(): Promise<void> {
    try {
      while (this.wanted !== null) {
        const asked: number = this.wanted;
        const seen = this.received;
        this.wanted = null;
        const runs = this.session.model?.message.runs ?? [];
        const states = await Promise.all(runs.map((_, run) => this.session.connection.recorded(run, asked)));
        if (this.past === null && this.received !== seen) continue; // something newer is shown already
        for (const state of states) this.stage.show(state);
        this.time = Math.max(...states.map((state) => state.time)); // one that diverged has stopped
        this.events.emit('change', undefined);
      }
    } catch {
      // Nothing was recorded yet, or the server is away: what is shown stays.
    } finally {
      this.fetching = null;
    }
  }

  private receive(state: StateFrame): void {
    if (this.past !== null) return;
    ++this.received;
    this.stage.show(state);
    const { actors } = this.stage;
    this.time = Math.max(...actors.map((actor) => actor.state?.time ?? 0));
    this.events.emit('change', undefined);
  }
}
