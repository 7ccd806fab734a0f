// A scene: the picture, its panels, the plots and the keys.

import { pack, writePlace, type Place } from '../app/address.ts';
import { HandControl } from '../app/hand_control.ts';
import { Player } from '../app/player.ts';
import { Series } from '../app/series.ts';
import { XrHands } from '../app/xr_hands.ts';
import type { Session } from '../app/session.ts';
import { fill, h, isTyping } from '../base/dom.ts';
import { onTheme, toggleTheme } from '../base/theme.ts';
import type { RunStatus } from '../net/protocol.ts';
import { fingerForces } from '../view/hand_part.ts';
import { Stage } from '../view/stage.ts';
import { isVrThere } from '../view/xr_view.ts';
import { toast } from './toast.ts';
import { iconButton } from './controls.ts';
import { colourings, DisplayPanel, type Display } from './display_panel.ts';
import { EditorPanel } from './editor_panel.ts';
import { HandCard } from './hand_card.ts';
import { HandTool } from './hand_tool.ts';
import type { Help } from './help.ts';
import { icon } from './icons.ts';
import { Inspector } from './inspector.ts';
import { gridLabel, Legend, RunLabels } from './labels.ts';
import { MethodsPanel } from './methods_panel.ts';
import { PlotsPanel } from './plots_panel.ts';
import { ScenePanel } from './scene_panel.ts';
import { ShareMenu } from './share.ts';
import { SidePanel } from './side_panel.ts';
import { Tools } from './tools.ts';
import { Transport } from './transport.ts';

const rememberAfter = 400; // ms: the address follows what is shown
const completeEvery = 2000; // ms
const narrow = 760; // px, as in the style sheet

export class ViewerScreen {
  readonly element: HTMLElement;
  readonly stage: Stage;
  readonly player: Player;
  readonly tools: Tools;
  readonly handControl: HandControl;
  readonly handTool: HandTool;
  private readonly handCard: HandCard;
  readonly series = new Series();
  private readonly canvas = h('canvas', { tabindex: 0, 'aria-label': 'the scene in 3D' });
  private readonly holder: HTMLElement;
  private readonly title = h('h1');
  private readonly display: Display = {
    colour: 'none',
    layout: 'ghosts',
    forces: false,
    contacts: false,
    handForces: true,
    ghosts: true,
  };
  private readonly displayPanel: DisplayPanel;
  private readonly transport: Transport;
  private readonly plots: PlotsPanel;
  private readonly inspector: Inspector;
  private readonly labels: RunLabels;
  private readonly legend: Legend;
  private readonly side: SidePanel;
  private wantedCamera: Place['camera'];
  private place: Place = {};
  private rememberTimer = 0;
  private lastCompleted = 0;

  constructor(
    private readonly session: Session,
    private readonly help: Help,
  ) {
    this.stage = new Stage(this.canvas);
    this.player = new Player(session, this.stage);
    this.handControl = new HandControl(session, (hand) => fingerForces(this.stage.actors[0]?.state ?? null, hand));
    this.tools = new Tools(session, this.stage);
    this.handTool = new HandTool(session, this.stage, this.tools.picker, this.handControl);
    this.handCard = new HandCard(session, this.stage, this.handControl);
    this.transport = new Transport(session, this.player);
    this.plots = new PlotsPanel(this.series);
    this.labels = new RunLabels(session, this.stage);
    this.legend = new Legend(this.stage);
    this.displayPanel = new DisplayPanel(this.display, (change) => this.setDisplay(change), () => this.stage.fit(), () => this.handControl.hands.length > 0);
    this.inspector = new Inspector(session, {
      pin: () => this.tools.togglePin(),
      push: () => this.tools.push(),
      close: () => this.tools.select(null),
    });
    const scenePanel = new ScenePanel(session);
    this.player.events.on('change', () => scenePanel.showInputs(this.stage.actors[0]?.state?.inputs ?? null));
    this.side = new SidePanel([
      { key: 's', label: 'Scene', content: scenePanel.element },
      { key: 'm', label: 'Methods', content: new MethodsPanel(session).element },
      { key: 'd', label: 'Display', content: this.displayPanel.element },
      { key: 'e', label: 'Editor', content: new EditorPanel(session).element, wide: true },
    ]);
    const enterVr = h('button', { type: 'button', class: 'small enter-vr', hidden: true, onclick: () => void this.enterVr() }, 'Enter VR');
    void isVrThere().then((isThere) => (enterVr.hidden = !isThere));
    const share = new ShareMenu(session, this.stage, this.series, () => this.link());
    this.holder = h('div', { class: 'stage' }, this.canvas, this.tools.element, this.inspector.element, this.labels.element, this.handCard.element, this.legend.element, gridLabel(this.stage));
    this.element = h(
      'div',
      { class: 'viewer' },
      h(
        'header',
        { class: 'bar' },
        h('a', { href: '#', class: 'flat', title: 'All scenes (G)' }, icon('home'), h('span', { class: 'wide-only' }, 'Scenes')),
        this.title,
        h('span', { class: 'spring' }),
        enterVr,
        share.element,
        iconButton('fit', 'Fit (F)', () => this.stage.fit()),
        iconButton('plots', 'Plots (B)', () => this.togglePlots()),
        iconButton('panel', 'Panel', () => this.side.toggle()),
        iconButton('theme', 'Dark or light (T)', toggleTheme),
        iconButton('help', 'Help (?)', () => this.help.toggle()),
      ),
      h('main', {}, this.holder, this.transport.element, this.plots.element),
      this.side.element,
    );
    this.listen();
    if (window.innerWidth < narrow) {
      this.side.toggle(false);
      this.element.classList.add('without-plots');
    }
  }

  private listen(): void {
    const { session, stage } = this;
    onTheme((theme) => {
      stage.paint(theme);
      this.labels.update();
    });
    new ResizeObserver(() => {
      stage.resize(this.holder.clientWidth, this.holder.clientHeight);
      this.labels.update();
    }).observe(this.holder);
    session.events.on('model', ({ model, isNew }) => {
      const { message } = model;
      fill(this.title, message.title || message.name);
      document.title = `${message.title || message.name} – taut`;
      this.element.classList.toggle('recording', message.kind === 'recording');
      if (isNew) this.series.clear();
      this.series.start(message.runs);
      stage.setModel(model, !isNew);
      if (isNew && this.wantedCamera) stage.cameraPlace = this.wantedCamera;
      if (isNew) this.wantedCamera = undefined;
      this.tools.mark();
      this.displayPanel.show();
      this.showPinned();
      this.labels.update();
      this.plots.rebuild();
      this.remember();
    });
    session.events.on('hello', (hello) => (this.series.metrics = hello.metrics));
    session.events.on('state', (state) => {
      this.series.add(state);
      this.plots.invalidate();
    });
    session.events.on('status', ({ playing, runs }) => {
      this.labels.update();
      this.completeCurves(playing, runs);
      this.plots.diverged = new Set(runs.flatMap((run, i) => (run.status === 'diverged' ? [i] : [])));
    });
    this.player.events.on('change', () => this.plots.showTime(this.player.isInPast ? this.player.time : null));
    this.tools.events.on('tool', (tool) => (this.handTool.isOn = tool === 'hand'));
    this.tools.events.on('select', (picked) => {
      this.inspector.select(picked);
      this.showPinned();
    });
    stage.rig.controls.addEventListener('end', () => this.remember());
  }

  private completeCurves(playing: boolean, runs: RunStatus[]): void {
    const recorded = Math.max(...runs.map((run) => run.history.count));
    const shown = Math.max(...this.series.runs.map((run) => run.times.length));
    const now = performance.now();
    const isCoarse = recorded > 1.5 * shown && shown < 1000;
    if (!isCoarse || (playing && now - this.lastCompleted < completeEvery)) return;
    this.lastCompleted = now;
    void this.loadPast();
  }

  /** All of the curves: where a run is quick or began before this page came, not every state was shown. */
  private async loadPast(): Promise<void> {
    const metrics = this.series.metrics.map(({ name }) => name);
    const runs = this.session.model?.message.runs ?? [];
    await Promise.all(
      runs.map(async (_, run) => {
        const past = await this.session.connection.ask<{ times?: number[]; metrics?: Record<string, (number | null)[]> }>({ type: 'history', run, metrics });
        if (past.times && past.metrics) this.series.load(run, past.times, past.metrics);
      }),
    ).catch(() => undefined); // a recording has none
    this.plots.invalidate();
  }

  /** Opens what an address says. */
  async open(place: Place): Promise<void> {
    this.place = place;
    this.wantedCamera = place.camera;
    this.setDisplay({
      colour: place.colour ?? 'none',
      layout: place.layout ?? 'ghosts',
      forces: place.forces ?? false,
      contacts: place.contacts ?? false,
    });
    this.canvas.focus({ preventScroll: true });
  }

  private async enterVr(): Promise<void> {
    const { stage } = this;
    const hands = new XrHands(this.session);
    stage.xr.onFrame = (now) => {
      hands.send(stage.seenHands(), now);
      stage.invalidate();
      this.show(now);
    };
    stage.xr.onEnd = () => stage.resize(this.holder.clientWidth, this.holder.clientHeight);
    await stage.xr.enter().catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'error'));
  }

  /** Once per displayed picture; those in a headset come by themselves. */
  update(now: number): void {
    if (!this.stage.xr.isPresenting) this.show(now);
  }

  private show(now: number): void {
    this.player.tick(now);
    if (this.tools.selected || this.tools.pinned.length) this.tools.mark();
    this.handControl.tick(now);
    this.handCard.update(now);
    this.stage.update(now);
    this.inspector.update(now);
    this.legend.update(this.display.colour);
    this.plots.update(now);
  }

  private setDisplay(change: Partial<Display>): void {
    const { stage, display } = this;
    const before = { ...display };
    Object.assign(display, change);
    this.session.show({ colour: display.colour, forces: display.forces, contacts: display.contacts });
    stage.coloured = display.colour !== 'none';
    Object.assign(stage.handLook, { handForces: display.handForces, ghosts: display.ghosts });
    if (display.colour !== before.colour) stage.scalars.forget();
    if (display.layout !== before.layout) {
      stage.layout = display.layout;
      stage.rebuild();
    } else stage.refresh();
    this.labels.update();
    this.displayPanel.show();
    this.remember();
    if (this.player.isInPast) void this.player.refetch();
  }

  private showPinned(): void {
    const body = this.tools.selected?.body;
    this.inspector.setPinned(body !== undefined && this.tools.isPinned(body));
  }

  private togglePlots(): void {
    this.element.classList.toggle('without-plots');
    this.plots.invalidate();
  }

  /** What is shown, for the address and for links. */
  private current(): Place {
    const message = this.session.model?.message;
    const place: Place = { ...this.display };
    if (this.place.scene) place.scene = this.place.scene;
    if (this.place.text) place.text = this.place.text;
    const camera = this.stage.cameraPlace;
    if (camera) place.camera = camera;
    if (!message) return place;
    place.parameters = this.session.parameters;
    const inputs = this.stage.actors.find((actor) => actor.state)?.state?.inputs;
    const chosen = (message.inputs ?? []).flatMap(({ name, start }, i) => (inputs?.[i] !== undefined && inputs[i] !== start ? [[name, inputs[i]] as const] : []));
    place.inputs = Object.fromEntries(chosen);
    place.runs = message.runs.map(({ method, step, options }) => ({ method, step, options }));
    return place;
  }

  private remember(): void {
    window.clearTimeout(this.rememberTimer);
    this.rememberTimer = window.setTimeout(() => {
      if (!this.element.isConnected || !this.session.model || !(this.place.scene || this.place.text)) return;
      history.replaceState(history.state, '', `#${writePlace(this.current())}`);
    }, rememberAfter);
  }

  /** Scenes that were edited are in the link as a whole. */
  private async link(): Promise<string> {
    const place = this.current();
    const message = this.session.model?.message;
    const builtIn = place.scene ? await fetch(`api/scenes/${encodeURIComponent(place.scene)}`).then((r) => (r.ok ? r.text() : null)) : null;
    if (message?.kind === 'simulation' && message.text !== undefined && message.text !== builtIn) {
      const answer = await this.session.command({ type: 'save' });
      if (answer) {
        delete place.scene;
        delete place.parameters;
        place.text = await pack(String(answer['text']));
      }
    }
    return `${location.origin}${location.pathname}#${writePlace(place)}`;
  }

  /** Returns whether the key meant something. */
  key(event: KeyboardEvent): boolean {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return false;
    const { player, tools, stage, display } = this;
    const [first, last] = player.range;
    const jump = Math.max((last - first) / 200, 1e-3) * (event.shiftKey ? 10 : 1);
    const acts: Record<string, () => void> = {
      ' ': () => player.toggle(),
      '.': () => player.step(),
      r: () => player.reset(),
      ArrowLeft: () => void player.scrub(player.time - jump),
      ArrowRight: () => void player.scrub(player.time + jump),
      End: () => player.leavePast(),
      Home: () => void player.scrub(first),
      '[': () => this.transport.faster(-1),
      ']': () => this.transport.faster(1),
      f: () => stage.fit(),
      v: () => stage.resetView(),
      c: () => this.setDisplay({ colour: colourings[(colourings.indexOf(display.colour) + 1) % colourings.length] ?? 'none' }),
      a: () => this.setDisplay({ forces: !display.forces }),
      k: () => this.setDisplay({ contacts: !display.contacts }),
      l: () => this.setDisplay({ layout: display.layout === 'tiles' ? 'ghosts' : 'tiles' }),
      p: () => tools.togglePin(),
      x: () => tools.push(),
      '1': () => tools.use('pull'),
      '2': () => tools.use('pin'),
      '3': () => tools.use('look'),
      '4': () => tools.use('hand'),
      n: () => this.handTool.close(0.1),
      o: () => this.handTool.close(-0.1),
      y: () => this.handControl.letGo(),
      b: () => this.togglePlots(),
      Escape: () => tools.select(null),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act) act();
    else return this.side.key(event.key.toLowerCase());
    return true;
  }
}
