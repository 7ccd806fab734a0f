// The WebSocket: requests with answers, and coming back after the server was away.

import { readFrame, frameKinds, readState, type Frame, type StateFrame } from './frames.ts';
import { Refusal, type Answer, type HelloMessage, type SceneMessage, type StatusMessage } from './protocol.ts';

export interface Listener {
  hello?(message: HelloMessage): void;
  scene?(message: SceneMessage): void;
  status?(message: StatusMessage): void;
  /** A surface, links or a mesh. */
  topology?(frame: Frame): void;
  state?(frame: StateFrame): void;
  /** An error that belongs to no request. */
  trouble?(message: string): void;
  lost?(): void;
}

interface Waiting {
  resolve(value: never): void;
  reject(reason: unknown): void;
}

const firstDelay = 300; // ms
const longestDelay = 3000;

export class Connection {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private nextId = 1;
  private delay = firstDelay;
  private closed = false;

  constructor(
    private readonly address: string,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Sends and forgets. */
  send(message: Record<string, unknown>): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  /** Sends and waits for the answer; throws a Refusal. */
  ask<T = Answer>(message: Record<string, unknown>): Promise<T> {
    if (!this.isOpen) return Promise.reject(new Refusal('not connected to the server'));
    const id = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ ...message, id });
    });
  }

  /** What was recorded of a run at a time. */
  async recorded(run: number, time: number, precision = 'float32'): Promise<StateFrame> {
    return this.ask<StateFrame>({ type: 'frame', run, time, precision });
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => (this.delay = firstDelay);
    socket.onmessage = (event) =>
      typeof event.data === 'string' ? this.receiveText(event.data) : this.receiveFrame(event.data as ArrayBuffer);
    socket.onclose = () => this.lose();
    this.socket = socket;
  }

  private lose(): void {
    for (const { reject } of this.waiting.values()) reject(new Refusal('the connection to the server was lost'));
    this.waiting.clear();
    if (this.closed) return;
    this.listener.lost?.();
    setTimeout(() => !this.closed && this.connect(), this.delay);
    this.delay = Math.min(longestDelay, 1.5 * this.delay);
  }

  private settle(id: number, act: (waiting: Waiting) => void): boolean {
    const waiting = this.waiting.get(id);
    if (!waiting) return false;
    this.waiting.delete(id);
    act(waiting);
    return true;
  }

  private receiveText(text: string): void {
    const message = JSON.parse(text) as { type: string; id?: number; message?: string };
    switch (message.type) {
      case 'hello':
        return this.listener.hello?.(message as unknown as HelloMessage);
      case 'scene':
        return this.listener.scene?.(message as unknown as SceneMessage);
      case 'status':
        return this.listener.status?.(message as unknown as StatusMessage);
      case 'answer':
        this.settle(message.id ?? 0, (waiting) => waiting.resolve(message as never));
        return;
      case 'error': {
        const { path, line, column } = message as { path?: string; line?: number; column?: number };
        const refusal = new Refusal(message.message ?? 'refused', path, line, column);
        if (!this.settle(message.id ?? 0, (waiting) => waiting.reject(refusal))) this.listener.trouble?.(refusal.message);
      }
    }
  }

  private receiveFrame(buffer: ArrayBuffer): void {
    const frame = readFrame(buffer);
    if (frame.kind !== frameKinds.state) return this.listener.topology?.(frame);
    const state = readState(frame);
    if (frame.request) this.settle(frame.request, (waiting) => waiting.resolve(state as never));
    else this.listener.state?.(state);
  }
}
