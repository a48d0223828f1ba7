/** The 3-D picture of a board of layers, drawn by three.js. Loaded only when such a board is shown. */
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Board, Position } from "../protocol";
import type { Heat } from "./heat";

export interface Scene {
  position: Pick<Position, "pieces" | "winning" | "threats">;
  last: number[];
  earlier: number[]; // the last stones of the other players
  cross: number | null;
  heat: Heat[];
}

export type Colours = Record<string, string>; // by the names of the style sheet

const SIZE = 0.4; // of a piece
const FAINT = 0.2; // colder candidates would hide the others

/** A body for each sign of a player, so that shapes differ here too. */
function bodies(): three.BufferGeometry[] {
  const bar = (turn: number): three.BufferGeometry => new three.BoxGeometry(2, 0.5, 0.5).rotateY(turn);
  const pole = (): three.BufferGeometry => new three.BoxGeometry(0.5, 1.6, 0.5);
  const found = [
    mergeGeometries([bar(Math.PI / 4), bar(-Math.PI / 4)]),
    new three.TorusGeometry(0.75, 0.28, 14, 32).rotateX(Math.PI / 2),
    new three.ConeGeometry(1, 1.7, 3),
    new three.BoxGeometry(1.4, 1.4, 1.4),
    new three.OctahedronGeometry(1.1),
    new three.IcosahedronGeometry(1),
    mergeGeometries([bar(0), bar(Math.PI / 2), pole()]),
    new three.ConeGeometry(1, 1.7, 3).rotateX(Math.PI),
    new three.CylinderGeometry(0.95, 0.95, 1.2, 6),
  ];
  return found.map((body) => body.scale(SIZE, SIZE, SIZE));
}

export class Space {
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(38, 1, 0.1, 500);
  private readonly controls: OrbitControls;
  private readonly grids: three.LineSegments[] = [];
  private readonly changing = new three.Group();
  private readonly shapes = bodies();
  private readonly cells: three.InstancedMesh;
  private readonly observer: ResizeObserver;
  private shown: Scene = { position: { pieces: [], winning: [], threats: [] }, last: [], earlier: [], cross: null, heat: [] };
  private gap = 0.6;
  private frame = 0;

  constructor(
    private readonly holder: HTMLElement,
    private readonly board: Board,
    private readonly colours: (name: string) => string,
    private readonly onHover: (cell: number | null) => void,
  ) {
    this.renderer = new three.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    holder.append(this.renderer.domElement);
    this.camera.position.set(0.5, 0.55, 0.9);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enablePan = false;
    this.controls.autoRotateSpeed = 1.2;
    this.controls.addEventListener("change", () => this.draw());
    const sun = new three.DirectionalLight(0xffffff, 2.2);
    sun.position.set(4, 10, 6);
    this.scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 1.9), sun, this.changing);
    const box = new three.BoxGeometry(0.9, 0.5, 0.9);
    this.cells = new three.InstancedMesh(box, new three.MeshBasicMaterial({ visible: false }), this.count);
    this.scene.add(this.cells);
    this.makeGrids();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(holder);
    this.renderer.domElement.addEventListener("pointermove", (event) => this.pointed(event));
    this.renderer.domElement.addEventListener("pointerleave", () => onHover(null));
    this.resize();
  }

  /** How far the layers are apart, in cells. */
  explode(gap: number): void {
    this.gap = gap;
    this.stepBack();
    this.rebuild();
  }

  spin(on: boolean): void {
    this.controls.autoRotate = on;
    this.draw();
  }

  /** As far away as the whole board needs. */
  private stepBack(): void {
    const { rows, columns, layers } = this.board;
    const radius = Math.hypot(rows, columns, layers * (1 + this.gap)) / 2;
    const angle = (this.camera.fov / 2) * (Math.PI / 180);
    const narrowest = Math.min(angle, Math.atan(Math.tan(angle) * this.camera.aspect));
    this.camera.position.setLength((radius / Math.sin(narrowest)) * 0.82);
    this.controls.update();
  }

  /** Turn by the keyboard: around, and up or down. */
  turn(around: number, up: number): void {
    const offset = new three.Spherical().setFromVector3(this.camera.position);
    offset.theta += around;
    offset.phi = Math.min(Math.max(offset.phi - up, 0.1), Math.PI - 0.1);
    this.camera.position.setFromSpherical(offset);
    this.controls.update();
    this.draw();
  }

  show(scene: Scene): void {
    this.shown = scene;
    this.rebuild();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.controls.dispose();
    this.clear();
    this.renderer.dispose();
    this.renderer.domElement.remove();
  }

  private get count(): number {
    return this.board.layers * this.board.rows * this.board.columns;
  }

  private place(cell: number): three.Vector3 {
    const size = this.board.rows * this.board.columns;
    const layer = Math.floor(cell / size);
    const row = Math.floor((cell % size) / this.board.columns);
    const x = (cell % this.board.columns) - (this.board.columns - 1) / 2;
    const y = (layer - (this.board.layers - 1) / 2) * (1 + this.gap);
    return new three.Vector3(x, y, row - (this.board.rows - 1) / 2);
  }

  private makeGrids(): void {
    const { rows, columns, layers } = this.board;
    const points: number[] = [];
    for (let row = 0; row <= rows; row++) points.push(-columns / 2, 0, row - rows / 2, columns / 2, 0, row - rows / 2);
    for (let column = 0; column <= columns; column++)
      points.push(column - columns / 2, 0, -rows / 2, column - columns / 2, 0, rows / 2);
    const geometry = new three.BufferGeometry().setAttribute("position", new three.Float32BufferAttribute(points, 3));
    for (let layer = 0; layer < layers; layer++) {
      const material = new three.LineBasicMaterial({ color: this.colours("--faint"), transparent: true, opacity: 0.45 });
      const grid = new three.LineSegments(geometry, material);
      this.grids.push(grid);
      this.scene.add(grid);
    }
  }

  private rebuild(): void {
    this.clear();
    this.grids.forEach((grid, layer) => (grid.position.y = this.place(layer * this.board.rows * this.board.columns).y - 0.42));
    const matrix = new three.Matrix4();
    for (let cell = 0; cell < this.count; cell++) this.cells.setMatrixAt(cell, matrix.setPosition(this.place(cell)));
    this.cells.instanceMatrix.needsUpdate = true;
    this.cells.computeBoundingSphere();
    const { position, last, earlier, cross, heat } = this.shown;
    const won = new Set(position.winning);
    for (const [cell, player] of position.pieces) this.addPiece(cell, player, won.size > 0 && !won.has(cell));
    for (const cell of earlier) this.addFrame(cell, this.colours("--faint"), 0.8);
    for (const cell of last) this.addFrame(cell, this.colours("--ink"));
    for (const cell of position.threats) this.addThreat(cell);
    for (const each of heat.filter((one) => one.share >= FAINT)) this.addHeat(each);
    if (won.size > 1) this.addWin([...won].sort((one, other) => one - other));
    if (cross !== null) this.addCross(cross);
    this.draw();
  }

  private addPiece(cell: number, player: number, faded: boolean): void {
    const colour = this.colours(player < 0 ? "--faint" : `--player-${player}`);
    const material = new three.MeshStandardMaterial({ color: colour, roughness: 0.55, transparent: faded, opacity: faded ? 0.35 : 1 });
    const mesh = new three.Mesh(this.shapes[Math.max(0, player) % this.shapes.length], material);
    mesh.position.copy(this.place(cell));
    this.changing.add(mesh);
  }

  private addFrame(cell: number, colour: string, size = 0.94): void {
    const box = new three.EdgesGeometry(new three.BoxGeometry(size, size * 0.85, size));
    const frame = new three.LineSegments(box, new three.LineBasicMaterial({ color: colour }));
    frame.position.copy(this.place(cell));
    this.changing.add(frame);
  }

  private addThreat(cell: number): void {
    const material = new three.MeshBasicMaterial({ color: this.colours("--warn"), wireframe: true });
    const mesh = new three.Mesh(new three.TetrahedronGeometry(0.26), material);
    mesh.position.copy(this.place(cell));
    this.changing.add(mesh);
  }

  private addHeat(each: Heat): void {
    const material = new three.MeshBasicMaterial({ color: this.colours("--heat"), transparent: true, opacity: 0.25 + 0.6 * each.share });
    const mesh = new three.Mesh(new three.SphereGeometry(0.1 + 0.2 * Math.sqrt(each.share), 16, 12), material);
    mesh.position.copy(this.place(each.cell));
    this.changing.add(mesh);
  }

  private addWin(cells: number[]): void {
    for (const cell of cells) this.addFrame(cell, this.colours("--win"), 1);
    const from = this.place(cells[0]!);
    const to = this.place(cells.at(-1)!);
    const along = to.clone().sub(from);
    const off = cells.some((cell) => this.place(cell).sub(from).cross(along).length() > 0.01 * along.length());
    if (off) return;
    const tube = new three.CylinderGeometry(0.09, 0.09, along.length() + 0.9, 12);
    const mesh = new three.Mesh(tube, new three.MeshBasicMaterial({ color: this.colours("--win") }));
    mesh.position.copy(from.add(to).multiplyScalar(0.5));
    mesh.quaternion.setFromUnitVectors(new three.Vector3(0, 1, 0), along.normalize());
    this.changing.add(mesh);
  }

  private addCross(cell: number): void {
    const { rows, columns } = this.board;
    const at = this.place(cell);
    const top = this.place(this.count - 1).y + 0.6;
    const ends = [
      [new three.Vector3(-columns / 2, at.y, at.z), new three.Vector3(columns / 2, at.y, at.z)],
      [new three.Vector3(at.x, -top, at.z), new three.Vector3(at.x, top, at.z)],
      [new three.Vector3(at.x, at.y, -rows / 2), new three.Vector3(at.x, at.y, rows / 2)],
    ];
    for (const pair of ends) {
      const geometry = new three.BufferGeometry().setFromPoints(pair);
      this.changing.add(new three.Line(geometry, new three.LineBasicMaterial({ color: this.colours("--accent") })));
    }
    this.addFrame(cell, this.colours("--accent"), 1);
  }

  private clear(): void {
    for (const child of [...this.changing.children]) {
      const mesh = child as three.Mesh;
      if (!this.shapes.includes(mesh.geometry)) mesh.geometry.dispose();
      (mesh.material as three.Material).dispose();
      this.changing.remove(child);
    }
  }

  private pointed(event: PointerEvent): void {
    if (event.buttons) return; // it is being turned
    const bounds = this.renderer.domElement.getBoundingClientRect();
    const x = ((event.clientX - bounds.left) / bounds.width) * 2 - 1;
    const y = 1 - ((event.clientY - bounds.top) / bounds.height) * 2;
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2(x, y), this.camera);
    const hit = ray.intersectObject(this.cells)[0];
    this.onHover(hit?.instanceId ?? null);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.stepBack();
    this.draw();
  }

  /** Draw with the next frame; again and again only while it turns by itself. */
  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      if (this.controls.autoRotate) this.controls.update();
      this.renderer.render(this.scene, this.camera);
      if (this.controls.autoRotate) this.draw();
    });
  }
}
