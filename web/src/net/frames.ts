// Binary frames: docs/viewer.md, "Binary frames".

export const frameKinds = { state: 1, surface: 2, links: 3, mesh: 4 } as const;
const headerBytes = 48;
const sectionHeaderBytes = 16;

export type Numbers = Float32Array | Float64Array;

interface Section {
  columns: number;
  rows: number;
  numbers: number;
  at: number;
}

export interface Frame {
  kind: number;
  generation: number;
  number: number;
  time: number;
  index: number;
  request: number;
  buffer: ArrayBuffer;
  sections: Map<number, Section>;
}

/** A force on a body, to be drawn as an arrow. */
export interface Arrow {
  point: [number, number, number];
  force: [number, number, number];
  source: number; // constraint, or −1
  body: number;
}

export interface Pull {
  grab: number;
  body: number;
  from: [number, number, number];
  to: [number, number, number];
  force: [number, number, number];
}

/** A hand at one time: its ghost, and what is felt. */
export interface HandState {
  position: Numbers;
  orientation: Numbers; // w, x, y, z
  angles: Numbers;
  /** N that would open each finger, thumb first. */
  fingers: Numbers;
  wrist: Numbers; // N
  isMoved: boolean;
  isStale: boolean;
  age: number; // s since the last sample
  refused: number; // samples
}

/** The state of one run at one time. */
export interface StateFrame {
  run: number;
  generation: number;
  time: number;
  index: number;
  request: number;
  particles: Numbers; // x, y, z
  rigid: Numbers; // x, y, z, w, x, y, z
  scalars: Numbers | null;
  forces: Arrow[];
  contacts: Arrow[];
  pulls: Pull[];
  ghosts: Numbers; // of limbs, 16 per hand: x, y, z, w, x, y, z
  limbForces: Numbers; // 16 per hand: what holds each limb back
  hands: HandState[];
  inputs: Float64Array | null; // in the order of the scene
  metrics: Float64Array | null;
  bytes: ArrayBuffer;
}

export function readFrame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  if (buffer.byteLength < headerBytes || view.getUint32(0, true) !== 0x54554154 || view.getUint16(4, true) !== 1)
    throw new Error('the server sent a frame that this page does not understand');
  const sections = new Map<number, Section>();
  let at = headerBytes;
  for (let i = view.getUint32(36, true); i > 0; --i) {
    const section = {
      numbers: view.getUint16(at + 2, true),
      columns: view.getUint32(at + 4, true),
      rows: Number(view.getBigUint64(at + 8, true)),
      at: at + sectionHeaderBytes,
    };
    sections.set(view.getUint16(at, true), section);
    const bytes = section.rows * section.columns * (section.numbers === 2 ? 8 : 4);
    at = section.at + 8 * Math.ceil(bytes / 8);
  }
  return {
    kind: view.getUint16(6, true),
    generation: view.getUint32(8, true),
    number: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    index: Number(view.getBigUint64(24, true)),
    request: view.getUint32(32, true),
    buffer,
    sections,
  };
}

function floats(frame: Frame, kind: number): Numbers | null {
  const section = frame.sections.get(kind);
  if (!section) return null;
  const size = section.rows * section.columns;
  return section.numbers === 2
    ? new Float64Array(frame.buffer, section.at, size)
    : new Float32Array(frame.buffer, section.at, size);
}

/** A section whose rows mix integers and float32. */
function mixed(frame: Frame, kind: number) {
  const section = frame.sections.get(kind);
  if (!section) return { rows: 0, columns: 0, f: new Float32Array(), i: new Int32Array() };
  const size = section.rows * section.columns;
  return {
    rows: section.rows,
    columns: section.columns,
    f: new Float32Array(frame.buffer, section.at, size),
    i: new Int32Array(frame.buffer, section.at, size),
  };
}

function three(f: Float32Array, at: number): [number, number, number] {
  return [f[at] ?? 0, f[at + 1] ?? 0, f[at + 2] ?? 0];
}

export function readState(frame: Frame): StateFrame {
  const forces = mixed(frame, 4);
  const contacts = mixed(frame, 5);
  const pulls = mixed(frame, 7);
  const rowsOf = <T>(table: { rows: number; columns: number }, read: (at: number) => T): T[] =>
    Array.from({ length: table.rows }, (_, row) => read(row * table.columns));
  const metrics = floats(frame, 6);
  const inputs = floats(frame, 19);
  return {
    run: frame.number,
    generation: frame.generation,
    time: frame.time,
    index: frame.index,
    request: frame.request,
    particles: floats(frame, 1) ?? new Float32Array(),
    rigid: floats(frame, 2) ?? new Float32Array(),
    scalars: floats(frame, 3),
    forces: rowsOf(forces, (at) => ({
      source: forces.i[at] ?? -1,
      body: forces.i[at + 1] ?? -1,
      point: three(forces.f, at + 2),
      force: three(forces.f, at + 5),
    })),
    contacts: rowsOf(contacts, (at) => ({
      source: -1,
      body: contacts.i[at] ?? -1,
      point: three(contacts.f, at + 2),
      force: three(contacts.f, at + 8),
    })),
    pulls: rowsOf(pulls, (at) => ({
      grab: pulls.i[at] ?? 0,
      body: pulls.i[at + 1] ?? -1,
      from: three(pulls.f, at + 2),
      to: three(pulls.f, at + 5),
      force: three(pulls.f, at + 8),
    })),
    ghosts: floats(frame, 16) ?? new Float32Array(),
    limbForces: floats(frame, 17) ?? new Float32Array(),
    hands: readHands(frame),
    inputs: inputs instanceof Float64Array ? inputs : null,
    metrics: metrics instanceof Float64Array ? metrics : null,
    bytes: frame.buffer,
  };
}

function readHands(frame: Frame): HandState[] {
  const table = frame.sections.get(18);
  const numbers = floats(frame, 18);
  if (!table || !numbers) return [];
  return Array.from({ length: table.rows }, (_, row) => {
    const of = (first: number, count: number) => numbers.subarray(row * table.columns + first, row * table.columns + first + count);
    const [isMoved = 0, isStale = 0, age = 0, refused = 0] = of(37, 4);
    return {
      position: of(0, 3),
      orientation: of(3, 4),
      angles: of(7, 22),
      fingers: of(29, 5),
      wrist: of(34, 3),
      isMoved: isMoved > 0,
      isStale: isStale > 0,
      age,
      refused,
    };
  });
}

export interface SurfaceTopology {
  vertices: Uint32Array; // bodies
  triangles: Uint32Array; // numbers of vertices of this surface
}

export function readSurface(frame: Frame): SurfaceTopology {
  const bodies = frame.sections.get(1);
  const faces = mixed(frame, 2);
  const triangles: number[] = [];
  for (let face = 0; face < faces.rows; ++face) {
    const [a = 0, b = 0, c = 0, d = -1] = faces.i.subarray(4 * face, 4 * face + 4);
    triangles.push(a, b, c);
    if (d >= 0) triangles.push(a, c, d);
  }
  return {
    vertices: bodies ? new Uint32Array(frame.buffer, bodies.at, bodies.rows) : new Uint32Array(),
    triangles: Uint32Array.from(triangles),
  };
}

export interface Link {
  a: number;
  atA: [number, number, number];
  b: number;
  atB: [number, number, number];
  type: number;
}

export function readLinks(frame: Frame): Link[] {
  const table = mixed(frame, 1);
  return Array.from({ length: table.rows }, (_, row) => {
    const at = row * table.columns;
    return {
      a: table.i[at] ?? -1,
      atA: three(table.f, at + 1),
      b: table.i[at + 4] ?? -1,
      atB: three(table.f, at + 5),
      type: table.i[at + 8] ?? 0,
    };
  });
}

export interface MeshTopology {
  vertices: Float32Array;
  triangles: Uint32Array;
}

export function readMesh(frame: Frame): MeshTopology {
  const triangles = frame.sections.get(2);
  return {
    vertices: new Float32Array(floats(frame, 1) ?? []),
    triangles: triangles
      ? new Uint32Array(frame.buffer, triangles.at, triangles.rows * triangles.columns)
      : new Uint32Array(),
  };
}
