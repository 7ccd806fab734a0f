// Many copies of one geometry that grow when more are needed: particles, rods, arrows.

import {
  Color,
  DynamicDrawUsage,
  InstancedMesh,
  Matrix4,
  Quaternion,
  Vector3,
  type BufferGeometry,
  type Group,
  type Material,
} from 'three';

const matrix = new Matrix4();
const turn = new Quaternion();
const along = new Vector3();
const scale = new Vector3();
const up = new Vector3(0, 1, 0);
const upright = new Quaternion();

export class Instances {
  mesh: InstancedMesh;
  private used = 0;

  constructor(
    private readonly parent: Group,
    private readonly geometry: BufferGeometry,
    private readonly material: Material,
    capacity = 16,
  ) {
    this.mesh = this.make(capacity);
  }

  begin(): void {
    this.used = 0;
  }

  addSphere(at: Vector3, radius: number, colour?: Color): void {
    this.add(matrix.compose(at, upright, scale.setScalar(radius)), colour);
  }

  /** A copy whose y axis goes from one point to the other, as wide as `radius`. */
  addBetween(from: Vector3, to: Vector3, radius: number, colour?: Color): void {
    along.subVectors(to, from);
    const size = along.length();
    if (!(size > 1e-12)) return;
    turn.setFromUnitVectors(up, along.divideScalar(size));
    this.add(matrix.compose(from, turn, scale.set(radius, size, radius)), colour);
  }

  end(): void {
    this.mesh.count = this.used;
    this.mesh.visible = this.used > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private add(placed: Matrix4, colour?: Color): void {
    if (this.used === this.mesh.instanceMatrix.count) this.grow();
    this.mesh.setMatrixAt(this.used, placed);
    if (colour) this.mesh.setColorAt(this.used, colour);
    ++this.used;
  }

  private make(capacity: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.count = 0;
    this.parent.add(mesh);
    return mesh;
  }

  private grow(): void {
    const old = this.mesh;
    this.mesh = this.make(2 * old.instanceMatrix.count);
    this.mesh.castShadow = old.castShadow;
    this.mesh.renderOrder = old.renderOrder;
    this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
    if (old.instanceColor) {
      this.mesh.setColorAt(0, new Color());
      this.mesh.instanceColor?.array.set(old.instanceColor.array);
    }
    this.parent.remove(old);
    old.dispose();
  }
}
