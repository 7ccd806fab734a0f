// The address: what is shown, so that a link shows it again. The token is never part of a link.

import type { RunRequest } from '../net/protocol.ts';
import type { CameraPlace } from '../view/camera_rig.ts';
import type { Layout } from '../view/stage.ts';

export type Colouring = 'none' | 'strain' | 'tension' | 'speed';

export interface Place {
  scene?: string;
  text?: string;
  parameters?: Record<string, number>;
  /** Those that are not as the scene has them at the start. */
  inputs?: Record<string, number>;
  runs?: RunRequest[];
  camera?: CameraPlace;
  colour?: Colouring;
  layout?: Layout;
  forces?: boolean;
  contacts?: boolean;
  /** Do not begin to play. */
  paused?: boolean;
}

const tokenKey = 'taut.token';

/** From the address, which then loses it; later visits remember it. */
export function takeToken(): string {
  const url = new URL(location.href);
  const given = url.searchParams.get('token');
  if (given) localStorage.setItem(tokenKey, given);
  return given ?? localStorage.getItem(tokenKey) ?? '';
}

export function hideToken(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('token')) return;
  url.searchParams.delete('token');
  history.replaceState(history.state, '', url);
}

export function socketAddress(token: string): string {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const path = location.pathname.replace(/[^/]*$/, '');
  return `${scheme}://${location.host}${path}ws${token ? `?token=${encodeURIComponent(token)}` : ''}`;
}

/** rattle@0.01;iterations:20 */
function writeRun(run: RunRequest): string {
  const options = Object.entries(run.options ?? {}).map(([name, value]) => `;${name}:${String(value)}`);
  return `${run.method}${run.step === undefined ? '' : `@${run.step}`}${options.join('')}`;
}

function readRun(text: string): RunRequest {
  const [head = '', ...options] = text.split(';');
  const [method = '', step] = head.split('@');
  const run: RunRequest = { method };
  if (step && Number(step) > 0) run.step = Number(step);
  if (options.length) run.options = Object.fromEntries(options.map((option) => readOption(option)));
  return run;
}

function readOption(text: string): [string, unknown] {
  const [name = '', value = ''] = text.split(':');
  if (value === 'true' || value === 'false') return [name, value === 'true'];
  return [name, value !== '' && Number.isFinite(Number(value)) ? Number(value) : value];
}

export function readRuns(text: string): RunRequest[] {
  return text.split(',').filter(Boolean).map(readRun);
}

export function readParameters(text: string): Record<string, number> {
  const pairs = text.split(',').map((pair) => pair.split(':'));
  return Object.fromEntries(pairs.filter(([name, value]) => name && Number.isFinite(Number(value))).map(([name, value]) => [name, Number(value)]));
}

/** Names are free text, and so escaped. */
function writeInputs(inputs: Record<string, number>): string {
  return Object.entries(inputs).map(([name, value]) => `${encodeURIComponent(name)}:${value}`).join(',');
}

function readInputs(text: string): Record<string, number> {
  return Object.fromEntries(Object.entries(readParameters(text)).map(([name, value]) => [decodeURIComponent(name), value]));
}

export function readCamera(text: string | null): CameraPlace | undefined {
  const numbers = (text ?? '').split(',').map(Number);
  return numbers.length === 6 && numbers.every(Number.isFinite) ? (numbers as CameraPlace) : undefined;
}

export function writePlace(place: Place): string {
  const fields = new URLSearchParams();
  if (place.scene) fields.set('scene', place.scene);
  if (place.text) fields.set('text', place.text);
  const parameters = Object.entries(place.parameters ?? {});
  if (parameters.length) fields.set('parameters', parameters.map(([name, value]) => `${name}:${value}`).join(','));
  if (Object.keys(place.inputs ?? {}).length) fields.set('inputs', writeInputs(place.inputs!));
  if (place.runs?.length) fields.set('runs', place.runs.map(writeRun).join(','));
  if (place.camera) fields.set('camera', place.camera.map((x) => Number(x.toPrecision(5))).join(','));
  if (place.colour && place.colour !== 'none') fields.set('colour', place.colour);
  if (place.layout === 'tiles') fields.set('layout', 'tiles');
  if (place.forces) fields.set('forces', '1');
  if (place.contacts) fields.set('contacts', '1');
  // Readable in the address bar: these characters need no escape in a fragment.
  return fields.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%40', '@').replaceAll('%3B', ';');
}

export function readPlace(text: string): Place {
  const fields = new URLSearchParams(text);
  const place: Place = {};
  const scene = fields.get('scene');
  const packed = fields.get('text');
  if (scene) place.scene = scene;
  if (packed) place.text = packed;
  if (fields.get('parameters')) place.parameters = readParameters(fields.get('parameters')!);
  if (fields.get('inputs')) place.inputs = readInputs(fields.get('inputs')!);
  const runs = fields.get('runs') ?? fields.get('methods');
  if (runs) place.runs = readRuns(runs);
  const camera = readCamera(fields.get('camera'));
  if (camera) place.camera = camera;
  const colour = fields.get('colour');
  if (colour === 'strain' || colour === 'tension' || colour === 'speed') place.colour = colour;
  if (fields.get('layout') === 'tiles') place.layout = 'tiles';
  place.forces = fields.get('forces') === '1';
  place.contacts = fields.get('contacts') === '1';
  place.paused = fields.get('paused') === '1';
  return place;
}

/** A scene's text, small enough for a link. */
export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpack(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).text();
}
