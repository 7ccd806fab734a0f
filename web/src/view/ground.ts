// The ground: a grid that fades out, a shadow, and a scale that follows the camera.

import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from 'three';
import type { StageColours } from './palette.ts';

const vertexShader = `
  varying vec2 place;
  uniform float reach;
  uniform vec2 centre;
  void main() {
    place = position.xy * reach + centre;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(place, 0.0, 1.0);
  }`;

const fragmentShader = `
  varying vec2 place;
  uniform float reach, cell, fill;
  uniform vec2 centre;
  uniform vec3 line, ground;
  float lines(float size, float width) {
    vec2 at = place / size;
    vec2 near = abs(fract(at - 0.5) - 0.5) / max(fwidth(at), 1e-6);
    return 1.0 - smoothstep(width - 0.5, width + 0.5, min(near.x, near.y));
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, length(place - centre) / reach);
    // Lines that are closer than a few pixels would only shimmer.
    float dense = max(fwidth(place.x), fwidth(place.y)) / cell;
    float fine = lines(cell, 0.5) * 0.30 * (1.0 - smoothstep(0.08, 0.3, dense));
    float coarse = lines(10.0 * cell, 0.9) * 0.55 * (1.0 - smoothstep(0.8, 3.0, dense));
    float drawn = max(fine, coarse);
    gl_FragColor = vec4(mix(ground, line, drawn), fade * max(fill, drawn));
    #include <colorspace_fragment>
  }`;

export class Ground {
  /** In the horizontal plane through its own origin; y is up. */
  readonly group = new Group();
  cell = 1; // m
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shadow: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor() {
    this.grid = new Mesh(
      new PlaneGeometry(2, 2),
      new ShaderMaterial({
        vertexShader,
        fragmentShader,
        transparent: true,
        depthWrite: false,
        side: 2,
        uniforms: {
          reach: { value: 1 },
          cell: { value: 1 },
          fill: { value: 0 },
          centre: { value: [0, 0] },
          line: { value: new Color() },
          ground: { value: new Color() },
        },
      }),
    );
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -2;
    this.shadow = new Mesh(new PlaneGeometry(2, 2), new ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -1;
    for (const mesh of [this.grid, this.shadow]) mesh.rotation.x = -Math.PI / 2;
    this.group.add(this.grid, this.shadow);
  }

  paint(colours: StageColours, dark: boolean): void {
    this.uniform('line').set(colours.grid);
    this.uniform('ground').set(colours.ground);
    this.shadow.material.opacity = dark ? 0.4 : 0.2;
  }

  /** `solid`: things stand on it; else it only shows where down is, and how large things are. */
  place(height: number, centre: [number, number], extent: number, solid: boolean): void {
    this.group.position.y = height;
    const reach = 6 * extent;
    // In the plane of the mesh y points against the world's z.
    this.set({ reach, centre: [centre[0], -centre[1]], fill: solid ? 0.85 : 0 });
    this.shadow.scale.setScalar(reach);
    this.shadow.position.set(centre[0], 0, centre[1]);
  }

  /** Returns whether the size of the cells has changed. */
  follow(distance: number): boolean {
    const cell = 10 ** Math.floor(Math.log10(Math.max(distance, 1e-9) / 2.5));
    if (cell === this.cell) return false;
    this.cell = cell;
    this.set({ cell });
    return true;
  }

  private uniform(name: string): Color {
    return this.grid.material.uniforms[name]?.value as Color;
  }

  private set(values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) {
      const uniform = this.grid.material.uniforms[name];
      if (uniform) uniform.value = value;
    }
  }
}
