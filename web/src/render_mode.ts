// Pictures without a window, for `taut render`: only the canvas, one state at a time.
//
//   /?render=1&scene=NAME&methods=a,b&at=2.5&camera=x,y,z,tx,ty,tz&theme=light
//   also: world=ID instead of a scene, steps=0.01,…, parameters=g:1.6,…, colour=strain, forces=1,
//   contacts=1, layout=tiles, labels=0
//
// `window.tautReady` becomes true when the picture is drawn, or a message when it cannot be;
// `window.tautShow(time)` then shows what was recorded at another time.

import { readCamera, readParameters, readPlace, socketAddress } from './app/address.ts';
import { Session, type Opening } from './app/session.ts';
import { h } from './base/dom.ts';
import { theme } from './base/theme.ts';
import type { StateFrame } from './net/frames.ts';
import type { RunRequest } from './net/protocol.ts';
import { RunLabels } from './ui/labels.ts';
import { Stage } from './view/stage.ts';

declare global {
  interface Window {
    tautReady?: boolean | string;
    tautShow?: (time: number) => Promise<void>;
  }
}

function runsOf(query: URLSearchParams): RunRequest[] | undefined {
  const methods = readPlace(`runs=${query.get('methods') ?? ''}`).runs;
  const steps = (query.get('steps') ?? '').split(',').map(Number);
  return methods?.map((run, i) => ((steps[i] ?? 0) > 0 ? { ...run, step: steps[i]! } : run));
}

export function startRenderMode(query: URLSearchParams, token: string): void {
  const canvas = h('canvas');
  const holder = h('div', { class: 'stage render' }, canvas);
  document.body.replaceChildren(holder);
  const stage = new Stage(canvas);
  const place = readPlace(location.search.slice(1));
  stage.paint(theme());
  stage.layout = place.layout ?? 'ghosts';
  stage.coloured = (place.colour ?? 'none') !== 'none';
  stage.resize(window.innerWidth, window.innerHeight, window.devicePixelRatio);
  window.addEventListener('resize', () => stage.resize(window.innerWidth, window.innerHeight, window.devicePixelRatio));
  const session = new Session(socketAddress(token));
  const labels = new RunLabels(session, stage);
  if (query.get('labels') !== '0') holder.append(labels.element);

  const draw = (states: StateFrame[]): void => {
    for (const state of states) stage.show(state);
    labels.element.hidden = states.length < 2;
    labels.update();
    stage.update(performance.now());
    stage.draw();
  };
  window.tautShow = async (time: number): Promise<void> => {
    const runs = session.model?.message.runs ?? [];
    draw(await Promise.all(runs.map((_, run) => session.connection.recorded(run, time))));
  };
  // Only live states have forces.
  const live: StateFrame[] = [];
  session.events.on('state', (state) => {
    live[state.run] = state;
    drawWhenReached();
  });

  const at = Number(query.get('at') ?? 0);
  session.show({ rate: 10, colour: place.colour ?? 'none', forces: place.forces ?? false, contacts: place.contacts ?? false });
  session.events.on('model', ({ model, isNew }) => {
    stage.setModel(model, !isNew);
    const camera = readCamera(query.get('camera'));
    if (isNew && camera) stage.cameraPlace = camera;
  });
  /** Whether every run has come as far as it will. */
  const hasReached = (): boolean => {
    const { status } = session;
    if (!status) return false;
    const steps = session.model?.message.runs.map((run) => run.step) ?? [];
    return !status.playing && status.runs.every((run, i) => run.status !== 'ok' || run.time > at - (steps[i] ?? 0));
  };
  /** Whether the newest states are those that the server has now. */
  const isNewest = (): boolean => session.status!.runs.every((run, i) => Math.abs((live[i]?.time ?? NaN) - run.time) < 1e-9);
  const isPast = (): boolean => session.status!.runs.some((run, i) => run.time > at + (session.model?.message.runs[i]?.step ?? 0));
  function drawWhenReached(): void {
    if (window.tautReady || !session.model || !session.status || !hasReached()) return;
    if (isPast()) {
      window.tautReady = false;
      window.tautShow!(at).then(
        () => (window.tautReady = true),
        (error: unknown) => (window.tautReady = String(error)),
      );
    } else if (isNewest()) {
      draw(live);
      window.tautReady = true;
    }
  }
  session.events.on('status', drawWhenReached);
  session.events.on('trouble', (message) => (window.tautReady = message));
  session.events.on('hello', () => void start());

  async function start(): Promise<void> {
    try {
      const world = query.get('world');
      if (world) await session.watch(world);
      else {
        const wish: Opening = { play: false };
        if (place.scene) wish.scene = place.scene;
        const runs = runsOf(query);
        if (runs?.length) wish.runs = runs;
        if (query.get('parameters')) wish.parameters = readParameters(query.get('parameters')!);
        if (place.scene) await session.open(wish);
        else if (session.hello?.start !== null && session.hello) await session.watch(session.hello.start!);
      }
      if (at > 0 && place.scene) await session.connection.ask({ type: 'play', speed: 0, until: at });
    } catch (error) {
      window.tautReady = error instanceof Error ? error.message : String(error);
    }
  }
}
