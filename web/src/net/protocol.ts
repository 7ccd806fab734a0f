// The messages of docs/viewer.md, "Protocol".

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number]; // w, x, y, z
export interface Colour {
  light: string;
  dark: string;
}

export interface Parameter {
  name: string;
  unit: string;
  description: string;
  value: number;
  min?: number;
  max?: number;
  integer?: boolean;
}

/** What may be set from outside while it runs; `start`: its value at the start. */
export interface Input {
  name: string;
  unit: string;
  description: string;
  start: number;
  min?: number;
  max?: number;
}

export interface GalleryScene {
  name: string;
  title: string;
  description: string;
  kind: 'scene' | 'robot';
  tags: string[];
  parameters: Parameter[];
}

export interface MethodOption {
  name: string;
  type: string;
  unit: string;
  default: string;
  choices?: string[];
  description: string;
}

export interface Method {
  name: string;
  summary: string;
  colour: Colour;
  options: MethodOption[];
}

export interface MetricInfo {
  name: string;
  unit: string;
  description: string;
}

export interface RunRequest {
  method: string;
  step?: number;
  options?: Record<string, unknown>;
}

export interface RunInfo {
  method: string;
  chosen: boolean;
  reason: string;
  step: number;
  options: Record<string, unknown>;
  contact_solver?: string;
  colour: Colour;
}

export interface ShapeInfo {
  body: number;
  name?: string;
  type: string;
  size: Vector;
  radius: number;
  position: Vector;
  orientation: Quaternion;
  vertices?: Vector[];
  faces?: number[][];
  mesh?: number;
}

export interface VisualInfo {
  body: number;
  shape: 'box' | 'cylinder' | 'sphere' | 'mesh' | 'capsule' | 'ellipsoid';
  size: Vector;
  position: Vector;
  orientation: Quaternion;
  color: [number, number, number, number];
  mesh?: string | number;
}

export interface RigidInfo {
  name: string;
  mass: number;
  box: { size: Vector; orientation: Quaternion };
}

export interface Place {
  body: number;
  at: Vector;
}

export interface JointInfo {
  name: string;
  type: string;
  a: Place;
  b: Place;
  axis: Vector | null;
  coordinates: { name: string; unit: string }[];
}

export interface ConstraintInfo {
  name: string;
  type: string;
  bodies: number[];
  unit: string;
  pin?: boolean;
}

export interface CurveInfo {
  name: string;
  body: number;
  points: Vector[];
  closed: boolean;
}

/** A hand: 16 bodies, moved by the ghost of a user's hand. */
export interface HandInfo {
  name: string;
  side: 'right' | 'left';
  bodies: number[];
  /** Limbs of the hand held flat at the origin: x, y, z, w, x, y, z. */
  rest: number[][];
  /** Of the 22 angles, rad. */
  limits: [number, number][];
  /** Where the scene's motion takes it. */
  reach: { min: Vector; max: Vector };
}

export interface SceneMessage {
  type: 'scene';
  world: string | null;
  generation: number;
  kind: 'simulation' | 'recording';
  name: string;
  title: string;
  description: string;
  duration: number;
  parameters: Parameter[];
  /** Of the parameters, as they were when the scene was opened. */
  defaults?: Record<string, number>;
  inputs?: Input[];
  gravity: Vector;
  up: Vector;
  box: { min: Vector; max: Vector };
  particles: { count: number; names: string[]; radius: number };
  rigid: RigidInfo[];
  shapes: ShapeInfo[];
  visuals: VisualInfo[];
  surfaces: { name: string; vertices: number; faces: number }[];
  links: { count: number; types: string[] };
  joints: JointInfo[];
  constraints: ConstraintInfo[];
  curves?: CurveInfo[];
  hands?: HandInfo[];
  runs: RunInfo[];
  text?: string;
}

export interface RunStatus {
  status: 'ok' | 'diverged' | 'ended';
  reason: string;
  time: number;
  steps: number;
  doubts: string[];
  history: { count: number; first: number; last: number };
}

/** How a loop keeps its time: turns per s as wanted, times in ms. */
export interface LoopStatus {
  name: string;
  rate: number;
  turns: number;
  late: number;
  p50?: number;
  p99?: number;
  longest?: number;
  jitter?: number;
}

export interface StatusMessage {
  type: 'status';
  world: string;
  generation: number;
  playing: boolean;
  speed: number;
  time: number;
  rate: number;
  runs: RunStatus[];
  grabs: number[];
  loops?: LoopStatus[];
}

export interface HelloMessage {
  type: 'hello';
  protocol: number;
  taut: string;
  control: boolean;
  start: string | null;
  metrics: MetricInfo[];
}

export interface Answer {
  type: 'answer';
  id: number;
  [field: string]: unknown;
}

/** What the server refused; `line` and `column` count from 1. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly path?: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

export interface ShownValue {
  name: string;
  unit: string;
  value: number | number[] | string;
}

export interface ValuesAnswer {
  title: string;
  kind: string;
  values: ShownValue[];
  bodies?: number[];
}

export interface ShowRequest {
  rate?: number;
  colour?: 'none' | 'strain' | 'tension' | 'speed';
  forces?: boolean;
  contacts?: boolean;
}
