// Colours of what is drawn, and of numbers.

import { Color } from 'three';
import type { Theme } from '../base/theme.ts';

/** Bodies of a single run, in turn; calm, so that method colours, arrows and fields stand out. */
const bodies = ['#6d8fb8', '#d3a873', '#86a886', '#c4826c', '#9b8cc0', '#5fa3a6'].map((c) => new Color(c));

export function bodyColour(index: number): Color {
  return bodies[index % bodies.length] ?? new Color('#888');
}

export interface StageColours {
  background: string;
  ground: string;
  grid: string;
  worldShape: string;
  particle: string;
  link: string;
  joint: string;
  cloth: string;
  clothBack: string;
  force: string;
  contact: string;
  pull: string;
  pin: string;
  selection: string;
  ghost: string;
}

export const stageColours: Record<Theme, StageColours> = {
  light: {
    background: '#eef1f5',
    ground: '#dfe4ea',
    grid: '#7d8896',
    worldShape: '#b9c1cb',
    particle: '#3f5b80',
    link: '#8593a5',
    joint: '#c2410c',
    cloth: '#5b86c4',
    clothBack: '#8fa9cf',
    force: '#b4237a',
    contact: '#c2560c',
    pull: '#0b7a5b',
    pin: '#b3261e',
    selection: '#e08700',
    ghost: '#7c3aed',
  },
  dark: {
    background: '#161b22',
    ground: '#1e252e',
    grid: '#718096',
    worldShape: '#4a5563',
    particle: '#9dbbe4',
    link: '#76859a',
    joint: '#fb923c',
    cloth: '#5f8fd6',
    clothBack: '#45699f',
    force: '#f472b6',
    contact: '#fdba4d',
    pull: '#34d399',
    pin: '#ff6b5e',
    selection: '#ffc14d',
    ghost: '#a78bfa',
  },
};

/** From low to high: dark blue, teal, green, yellow (after viridis; read in grey as well). */
const ramp = ['#3b2f80', '#31688e', '#21918c', '#5ec962', '#fde725'].map((c) => new Color(c));

export function rampColour(share: number, out: Color): Color {
  const at = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const low = Math.min(ramp.length - 2, Math.floor(at));
  return out.lerpColors(ramp[low]!, ramp[low + 1]!, at - low);
}

export const rampCss = `linear-gradient(to right, ${ramp.map((c) => `#${c.getHexString()}`).join(', ')})`;
