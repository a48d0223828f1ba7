/** Where each node of the tree is drawn. The room of a branch follows its visits, so that a lopsided search looks so. */
import { placeBelow, ROOT, type Branch, type Place } from "./tree-data";

export interface Node {
  place: Place;
  above: Place | null;
  branch: Branch;
  depth: number;
  x: number;
  y: number;
  radius: number;
  share: number; // of the root's visits
  folded: boolean; // it has children that are not drawn because somebody folded it
  more: number; // children that are not drawn for another reason
}

export interface Layout {
  nodes: Node[];
  width: number;
  height: number;
}

export interface LayoutOptions {
  folded: ReadonlySet<Place>;
  most: number; // nodes
  level: number; // pixels from one level to the next
  largest: number; // radius of the root
  smallest: number;
  aside: number; // pixels left and right for what is written beside nodes
}

export const USUAL: LayoutOptions = { folded: new Set(), most: 150, level: 84, largest: 26, smallest: 3.2, aside: 0 };
const GAP = 3;

/** The radius of a node: its area follows its share of the visits. */
export function radiusOf(share: number, options: LayoutOptions): number {
  return Math.max(options.smallest, options.largest * Math.sqrt(Math.min(share, 1)));
}

/** The nodes to draw: the most visited ones, each with its parent; a folded branch ends where it is folded. */
export function chosenPlaces(root: Branch, options: LayoutOptions): Set<Place> {
  const found: { place: Place; visits: number; depth: number }[] = [];
  function look(branch: Branch, place: Place, depth: number, above: number): void {
    const visits = Math.min(branch.visits, above); // a child never comes before its parent
    found.push({ place, visits, depth });
    if (options.folded.has(place)) return;
    for (const child of branch.children) look(child, placeBelow(place, child.action!), depth + 1, visits);
  }
  look(root, ROOT, 0, Infinity);
  found.sort((one, other) => other.visits - one.visits || one.depth - other.depth);
  return new Set(found.slice(0, options.most).map((each) => each.place));
}

/** The whole picture: parents above the middle of their children, no two nodes of a level on top of each other. */
export function layOut(root: Branch, given: Partial<LayoutOptions> = {}): Layout {
  const options = { ...USUAL, ...given };
  const chosen = chosenPlaces(root, options);
  const nodes: Node[] = [];
  const total = Math.max(root.visits, 1);

  function room(branch: Branch, place: Place): number {
    const own = 2 * radiusOf(place === ROOT ? 1 : branch.visits / total, options) + GAP;
    return Math.max(own, drawn(branch, place).reduce((sum, [child, below]) => sum + room(child, below), 0));
  }

  function drawn(branch: Branch, place: Place): [Branch, Place][] {
    return branch.children
      .map((child): [Branch, Place] => [child, placeBelow(place, child.action!)])
      .filter(([, below]) => chosen.has(below))
      .sort(([one], [other]) => one.action! - other.action!); // a move stays where it is while the tree grows
  }

  function put(branch: Branch, place: Place, above: Place | null, depth: number, left: number): Node {
    const children = drawn(branch, place);
    const rooms = children.map(([child, below]) => room(child, below));
    const own = room(branch, place);
    let at = left + (own - rooms.reduce((sum, each) => sum + each, 0)) / 2;
    const share = depth === 0 ? 1 : branch.visits / total;
    const radius = radiusOf(share, options);
    const node: Node = {
      place,
      above,
      branch,
      depth,
      x: left + own / 2,
      y: depth * options.level,
      radius,
      share,
      folded: options.folded.has(place) && branch.children.length + branch.hidden > 0,
      more: options.folded.has(place) ? 0 : branch.children.length - children.length + branch.hidden,
    };
    nodes.push(node);
    const below = children.map(([child, at_], index) => {
      const found = put(child, at_, place, depth + 1, at);
      at += rooms[index]!;
      return found;
    });
    if (below.length > 0) node.x = middle(below);
    return node;
  }

  put(root, ROOT, null, 0, 0);
  return fitted(nodes, options);
}

/** Between the children, nearer to those with many visits: the trunk bends to where the search goes. */
function middle(children: Node[]): number {
  const weight = children.reduce((sum, child) => sum + child.radius ** 2, 0);
  return children.reduce((sum, child) => sum + (child.x * child.radius ** 2) / weight, 0);
}

/** The same nodes with a margin around them. */
function fitted(nodes: Node[], options: LayoutOptions): Layout {
  const margin = options.largest + 8;
  const left = Math.min(...nodes.map((node) => node.x - node.radius));
  const right = Math.max(...nodes.map((node) => node.x + node.radius));
  const bottom = Math.max(...nodes.map((node) => node.y + node.radius));
  const beside = margin + options.aside;
  const shifted = nodes.map((node) => ({ ...node, x: node.x - left + beside, y: node.y + margin }));
  return { nodes: shifted, width: right - left + 2 * beside, height: bottom + 2 * margin };
}

/** Between two pictures: nodes glide to where they will be, and new ones grow out of their parents. */
export function between(before: Layout | null, after: Layout, part: number): Layout {
  if (!before || part >= 1) return after;
  const old = new Map(before.nodes.map((node) => [node.place, node]));
  const mix = (from: number, to: number) => from + (to - from) * part;
  const nodes = after.nodes.map((node) => {
    const from = old.get(node.place) ?? { ...(old.get(node.above ?? ROOT) ?? node), radius: 0 };
    return { ...node, x: mix(from.x, node.x), y: mix(from.y, node.y), radius: mix(from.radius, node.radius) };
  });
  return { nodes, width: mix(before.width, after.width), height: mix(before.height, after.height) };
}

/** Where an arrow key leads from a node. */
export function neighbour(layout: Layout, place: Place, key: string): Place | null {
  const node = layout.nodes.find((each) => each.place === place);
  if (!node) return layout.nodes[0]?.place ?? null;
  if (key === "ArrowUp") return node.above;
  if (key === "Home") return ROOT;
  if (key === "ArrowDown") {
    const children = layout.nodes.filter((each) => each.above === place);
    children.sort((one, other) => other.branch.visits - one.branch.visits);
    return children[0]?.place ?? null;
  }
  const row = layout.nodes.filter((each) => each.depth === node.depth).sort((one, other) => one.x - other.x);
  const index = row.findIndex((each) => each.place === place) + (key === "ArrowRight" ? 1 : -1);
  return row[index]?.place ?? null;
}
