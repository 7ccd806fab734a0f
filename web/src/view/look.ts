// How a run is drawn: in natural colours when it is alone, in its method's colour beside others.

import { Color, MeshStandardMaterial, type MeshStandardMaterialParameters } from 'three';
import type { StageColours } from './palette.ts';

export interface Look {
  /** The method's colour, or null: natural colours. */
  tint: Color | null;
  opacity: number;
  colours: StageColours;
}

export function material(look: Look, natural: Color | string, more: MeshStandardMaterialParameters = {}): MeshStandardMaterial {
  const isGhost = look.opacity < 1;
  return new MeshStandardMaterial({
    color: look.tint ?? new Color(natural),
    roughness: 0.62,
    metalness: 0.05,
    transparent: isGhost,
    opacity: look.opacity,
    depthWrite: !isGhost,
    ...more,
  });
}
