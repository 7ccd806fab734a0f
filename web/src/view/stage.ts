// The canvas: light, ground, the actors of all runs, overlaid or in tiles.

import {
  Box3,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  PCFShadowMap,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import type { Theme } from '../base/theme.ts';
import type { StateFrame } from '../net/frames.ts';
import { Actor } from './actor.ts';
import { ForceScale } from './arrow_part.ts';
import { CameraRig, type CameraPlace } from './camera_rig.ts';
import { frame, startBox, uprightTurn, type Framing } from './framing.ts';
import { Ground } from './ground.ts';
import type { HandLook } from './hand_part.ts';
import { Marker } from './marker.ts';
import { stageColours } from './palette.ts';
import { ScalarColours } from './scalar_colours.ts';
import type { SceneModel } from './scene_model.ts';
import { tiles, type Tile } from './tiles.ts';
import { XrView, type SeenHand } from './xr_view.ts';

export type Layout = 'ghosts' | 'tiles';
const ghostOpacity = 0.5;

export class Stage {
  readonly rig: CameraRig;
  readonly scalars = new ScalarColours();
  readonly forces = new ForceScale();
  readonly marker = new Marker();
  actors: Actor[] = [];
  framing: Framing | null = null;
  layout: Layout = 'ghosts';
  coloured = false;
  readonly handLook: HandLook = { ghosts: true, handForces: true };
  /** Called after each picture. */
  onDrawn: (() => void) | null = null;
  onCell: ((metres: number) => void) | null = null;
  readonly xr: XrView;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly world = new Group();
  private readonly ground = new Ground();
  private readonly sun = new DirectionalLight('#ffffff', 1.9);
  private readonly sky = new HemisphereLight('#ffffff', '#a8a49c', 2.0);
  private width = 1;
  private height = 1;
  private isStale = true;
  private theme: Theme = 'light';
  private model: SceneModel | null = null;
  private wantedPlace: CameraPlace | null = null;
  private builtFor = 1; // extent, m: how thick rods and axes are

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, stencil: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.autoClear = false;
    this.rig = new CameraRig(canvas, () => this.invalidate());
    this.xr = new XrView(this.renderer);
    this.scene.add(this.xr.rig);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3.5;
    this.scene.add(this.world, this.ground.group, this.sun, this.sun.target, this.sky);
    this.world.add(this.marker.group);
  }

  invalidate(): void {
    this.isStale = true;
  }

  resize(width: number, height: number, ratio = Math.min(2, window.devicePixelRatio)): void {
    if (width < 1 || height < 1) return;
    this.width = width;
    this.height = height;
    if (this.xr.isPresenting) return; // when it ends
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.invalidate();
  }

  paint(theme: Theme): void {
    this.theme = theme;
    this.scene.background = new Color(stageColours[theme].background);
    this.ground.paint(stageColours[theme], theme === 'dark');
    this.marker.paint(stageColours[theme]);
    if (this.model) this.rebuild();
    this.invalidate();
  }

  /** Shows another scene. The camera stays if `keepCamera`. */
  setModel(model: SceneModel, keepCamera: boolean): void {
    this.model = model;
    this.world.quaternion.copy(uprightTurn(model));
    this.scalars.forget();
    this.forces.forget();
    for (const actor of this.actors) actor.state = null;
    if (!keepCamera) this.framing = null;
    this.rebuild();
  }

  /** The first state shows how large things are. */
  private begin(actor: Actor): void {
    if (!this.model || !actor.state) return;
    this.framing = frame(this.model, actor.state, actor.box());
    const { box, extent, ground, direction } = this.framing;
    const centre = box.getCenter(new Vector3());
    this.ground.place(ground.height, [centre.x, centre.z], extent, ground.solid);
    this.placeSun(centre, extent);
    this.marker.size = 0.012 * extent;
    if (this.wantedPlace) this.rig.goTo(this.wantedPlace, this.framing.turn);
    else this.rig.fit(box, this.aspect, direction, false);
    this.wantedPlace = null;
    if (extent > 1.4 * this.builtFor || extent < 0.7 * this.builtFor) this.rebuild();
  }

  /** Actors anew: the runs, the theme or the layout have changed. */
  rebuild(): void {
    const { model } = this;
    if (!model) return;
    this.builtFor = this.framing?.extent ?? 0.6 * Math.max(startBox(model).getSize(new Vector3()).length(), 1e-3);
    const states = this.actors.map((actor) => actor.state);
    for (const actor of this.actors) actor.dispose();
    const { runs } = model.message;
    this.actors = runs.map((run, index) => {
      const tint = runs.length > 1 ? new Color(run.colour[this.theme]) : null;
      const opacity = this.layout === 'ghosts' && index > 0 ? ghostOpacity : 1;
      const isFirst = index === 0 || this.layout === 'tiles';
      return new Actor(model, index, { tint, opacity, colours: stageColours[this.theme] }, this.builtFor, isFirst);
    });
    for (const [index, actor] of this.actors.entries()) {
      this.world.add(actor.group);
      const state = states[index];
      if (state) this.show(state);
    }
    this.invalidate();
  }

  show(state: StateFrame): void {
    const actor = this.actors[state.run];
    if (!actor) return;
    if (this.coloured && state.scalars) this.scalars.include(state.scalars);
    this.forces.include(state.forces);
    this.forces.include(state.contacts);
    actor.show(state, this.coloured ? this.scalars : null, this.forces, this.handLook);
    if (!this.framing) this.begin(actor);
    this.lowerGround(actor);
    this.invalidate();
  }

  /** A ground that only shows where down is never hides what falls. */
  private lowerGround({ state }: Actor): void {
    const { framing } = this;
    if (!framing || framing.ground.solid || !state) return;
    const up = new Vector3(0, 1, 0).applyQuaternion(framing.turn.clone().invert());
    let lowest = Infinity;
    for (const [numbers, columns] of [[state.particles, 3], [state.rigid, 7]] as const)
      for (let at = 0; at < numbers.length; at += columns)
        lowest = Math.min(lowest, numbers[at]! * up.x + numbers[at + 1]! * up.y + numbers[at + 2]! * up.z);
    const height = lowest - 0.05 * framing.extent;
    const far = framing.box.min.y - 1.5 * framing.extent; // what falls for ever, or diverges, leaves it behind
    if (!(height < framing.ground.height && height > far)) return;
    framing.ground.height = height;
    this.ground.group.position.y = height;
  }

  /** Draws what is there again, after colours or scales changed. */
  refresh(): void {
    for (const actor of this.actors) if (actor.state) this.show(actor.state);
  }

  /** What there is now fills the picture. */
  fit(smooth = true): void {
    const box = this.contentBox();
    if (box) this.rig.fit(box, this.aspect, null, smooth);
  }

  /** As it was when the scene was opened. */
  resetView(): void {
    if (this.framing) this.rig.fit(this.framing.box, this.aspect, this.framing.direction, true);
  }

  private contentBox(): Box3 | null {
    const box = new Box3();
    for (const actor of this.actors) if (actor.state) box.union(actor.box());
    return box.isEmpty() ? (this.framing?.box ?? null) : box;
  }

  get cameraPlace(): CameraPlace | null {
    return this.framing ? this.rig.place(this.framing.turn) : null;
  }

  set cameraPlace(place: CameraPlace | null) {
    if (place && this.framing) this.rig.goTo(place, this.framing.turn);
    else this.wantedPlace = place; // for when there is something to see
  }

  get tileList(): Tile[] {
    return tiles(this.layout === 'tiles' ? this.actors.length : 1, this.width, this.height);
  }

  private get aspect(): number {
    const tile = this.tileList[0];
    return tile ? tile.width / tile.height : 1;
  }

  /** Draws if anything has changed. */
  update(now: number): void {
    this.rig.update(now);
    if (this.ground.follow(this.rig.distance)) {
      this.onCell?.(this.ground.cell);
      this.isStale = true;
    }
    if (this.isStale) this.draw();
  }

  /** Of the user in the headset. */
  seenHands(): SeenHand[] {
    this.world.updateMatrixWorld();
    return this.xr.hands(this.world.matrixWorld);
  }

  draw(): void {
    this.isStale = false;
    if (this.xr.isPresenting) return this.drawInHeadset();
    const list = this.tileList;
    const { renderer } = this;
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, this.width, this.height);
    renderer.setClearColor(stageColours[this.theme].worldShape); // between tiles
    renderer.clear();
    renderer.setScissorTest(list.length > 1);
    list.forEach((tile, index) => {
      if (list.length > 1)
        this.actors.forEach((actor, i) => (actor.group.visible = i === index && actor.state !== null));
      else for (const actor of this.actors) actor.group.visible = actor.state !== null;
      const bottom = this.height - tile.y - tile.height;
      renderer.setViewport(tile.x, bottom, tile.width, tile.height);
      renderer.setScissor(tile.x, bottom, tile.width, tile.height);
      this.rig.setAspect(tile.width / tile.height);
      renderer.render(this.scene, this.rig.camera);
    });
    this.onDrawn?.();
  }

  private drawInHeadset(): void {
    if (this.framing) this.xr.place(this.framing, (this.model?.message.hands?.length ?? 0) > 0);
    for (const actor of this.actors) actor.group.visible = actor.state !== null;
    this.renderer.setScissorTest(false);
    this.renderer.clear();
    this.renderer.render(this.scene, this.xr.camera);
    this.onDrawn?.();
  }

  private placeSun(centre: Vector3, extent: number): void {
    this.sun.position.copy(centre).add(new Vector3(0.45, 1, 0.55).multiplyScalar(3 * extent));
    this.sun.target.position.copy(centre);
    const shadow = this.sun.shadow;
    const reach = 2 * extent;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * extent, far: 8 * extent });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.006 * extent;
    shadow.bias = -0.0004;
  }
}
