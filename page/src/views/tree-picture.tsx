/** The tree as a picture that grows: size by visits, colour by value, shape and outline by state. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { goodFor, isKnown, partTexts } from "../state/chances";
import { dark } from "../state/theme";
import { ROOT, type Branch, type Place } from "./tree-data";
import { colourOf } from "./colours";
import { between, layOut, neighbour, type Layout, type LayoutOptions, type Node } from "./tree-layout";
import { say } from "../messages";
import { counted, percent } from "./numbers";

export interface PictureProps {
  tree: Branch;
  players: string[];
  perspective: number; // whose value the colours tell
  lesson?: boolean; // the mean of any number of results is shown: how it comes about is what one looks at
  folded: ReadonlySet<Place>;
  selected: Place | null;
  lit?: ReadonlySet<Place>; // a path that lights up
  labels?: ReadonlyMap<Place, string>; // such as what was credited
  zoom?: number; // 0: as wide as there is room
  options?: Partial<LayoutOptions>;
  onSelect: (place: Place) => void;
  onFold: (place: Place) => void;
  onMore?: (place: Place) => void;
}

const GLIDE = 380; // milliseconds
const LABELLED = 9; // the radius from which a name fits
const [FEWEST, MOST] = [50, 170]; // nodes
const NODE_ROOM = 6.5; // pixels of width for a node: some stand above each other

export function Picture(props: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const room = useWidth(frame);
  const most = Math.round(Math.min(MOST, Math.max(FEWEST, room / NODE_ROOM)));
  const target = useMemo(
    () => layOut(props.tree, { most, ...props.options, folded: props.folded }),
    [props.tree, props.folded, props.options, most],
  );
  const shown = useGliding(target);
  const fit = room > 0 ? Math.min(1.4, room / shown.width) : 1;
  const scale = props.zoom || Math.max(fit, 0.3);
  const at = props.selected ?? ROOT;
  const even = 1 / Math.max(props.players.length, 1);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key.startsWith("Arrow") || event.key === "Home") {
      const next = neighbour(target, at, event.key);
      if (next !== null) {
        props.onSelect(next);
        frame.current?.querySelector<SVGElement>(`[data-place="${next}"]`)?.focus();
      }
      event.preventDefault();
    } else if (event.key === " " || event.key === "Enter") {
      props.onFold(at);
      event.preventDefault();
    } else if (event.key === "+" && props.onMore) props.onMore(at);
  }

  return (
    <div class="tree-frame" ref={frame}>
      <svg
        role="tree"
        aria-label={say("Search tree with {visits} visits; arrow keys move, Enter folds", { visits: counted(props.tree.visits) })}
        class="tree-picture"
        width={shown.width * scale}
        height={shown.height * scale}
        viewBox={`0 0 ${shown.width} ${shown.height}`}
        onKeyDown={onKeyDown}
      >
        <g aria-hidden="true">{edges(shown, props.lit)}</g>
        {shown.nodes.map((node) => (
          <Knot
            key={node.place}
            node={node}
            colour={colourOf(goodOf(node.branch, props, even), even, dark.value)}
            value={valueOf(node.branch, props)}
            who={props.players[props.perspective] ?? ""}
            current={node.place === at}
            selected={node.place === props.selected}
            lit={props.lit?.has(node.place) ?? false}
            onSelect={() => props.onSelect(node.place)}
            onFold={() => props.onFold(node.place)}
            onMore={props.onMore && (() => props.onMore!(node.place))}
          />
        ))}
        <g aria-hidden="true">{credits(shown, props.labels)}</g>
      </svg>
    </div>
  );
}

type Perspective = Pick<PictureProps, "perspective" | "lesson">;

/** What a player may expect, for the colour: even where it is not known. */
function goodOf({ means, value }: Branch, { perspective, lesson }: Perspective, even: number): number {
  if (lesson) return means[perspective] ?? even;
  return isKnown(value) ? goodFor(value, perspective) : even;
}

/** The same as a text. */
function valueOf({ means, value }: Branch, { perspective, lesson }: Perspective): string {
  if (lesson) return percent(means[perspective] ?? 0);
  return isKnown(value) ? partTexts(value)[perspective]! : "–";
}

/** What was credited, above all nodes: a neighbour would hide it. */
function credits(layout: Layout, labels?: ReadonlyMap<Place, string>) {
  return layout.nodes
    .filter((node) => labels?.has(node.place))
    .map((node) => (
      <text key={node.place} class="tree-credit" x={node.x + node.radius + 4} y={node.y} dy="0.35em">
        {labels!.get(node.place)}
      </text>
    ));
}

function edges(layout: Layout, lit?: ReadonlySet<Place>) {
  const known = new Map(layout.nodes.map((node) => [node.place, node]));
  return layout.nodes.map((node) => {
    const above = node.above === null ? undefined : known.get(node.above);
    if (!above) return null;
    const middle = (above.y + node.y) / 2;
    const bend = `M${above.x} ${above.y}C${above.x} ${middle} ${node.x} ${middle} ${node.x} ${node.y}`;
    const width = Math.max(0.8, 11 * Math.sqrt(node.share));
    return <path key={node.place} d={bend} class={`tree-edge${lit?.has(node.place) ? " lit" : ""}`} stroke-width={width} />;
  });
}

interface KnotProps {
  node: Node;
  colour: string;
  value: string;
  who: string;
  current: boolean;
  selected: boolean;
  lit: boolean;
  onSelect: () => void;
  onFold: () => void;
  onMore: (() => void) | undefined;
}

function Knot({ node, colour, value, who, current, selected, lit, ...on }: KnotProps) {
  const { branch, radius, x, y } = node;
  const name = branch.name || say("start");
  const states = [say(stateWord(branch)), ...(branch.proven ? [say("proven")] : []), ...(branch.cut ? [say("cut")] : [])];
  const told = { name, visits: counted(branch.visits), value, who, state: states.join(", ") };
  const classes = `tree-knot ${classOf(branch)}${selected ? " selected" : ""}${lit ? " lit" : ""}`;
  return (
    <g
      role="treeitem"
      class={classes}
      data-place={node.place}
      transform={`translate(${x} ${y})`}
      style={{ "--radius": radius.toFixed(1) }}
      tabIndex={current ? 0 : -1}
      aria-level={node.depth + 1}
      aria-selected={selected}
      {...(branch.children.length + branch.hidden > 0 ? { "aria-expanded": !node.folded } : {})}
      aria-label={say("{name}: {visits} visits, {value} for {who}, {state}", told)}
      onClick={on.onSelect}
      onDblClick={on.onFold}
      onFocus={on.onSelect}
    >
      <title>{say("{name}: {visits} visits, {value} for {who}, {state}", told)}</title>
      {selected && <circle r={radius + 5} class="tree-halo" />}
      <Shape branch={branch} radius={radius} colour={colour} />
      {radius >= LABELLED && (
        <text class="tree-name" dy="0.35em" font-size={Math.min(13, radius * 0.85)}>
          {name.length > 5 ? `${name.slice(0, 4)}…` : name}
        </text>
      )}
      {node.folded && <text class="tree-more" y={radius + 12}>{`▸ ${branch.children.length + branch.hidden}`}</text>}
      {node.more > 0 && radius >= LABELLED && (
        <text class="tree-more" y={radius + 12} onClick={(event) => (event.stopPropagation(), on.onMore?.())}>
          {`+${node.more}`}
        </text>
      )}
    </g>
  );
}

/** A node's shape tells its state, without any colour: see the legend. */
export function Shape({ branch, radius, colour }: { branch: Shaped; radius: number; colour: string }) {
  const side = radius * 0.9;
  return (
    <>
      {branch.state === "terminal" ? (
        <rect class="tree-shape" x={-side} y={-side} width={2 * side} height={2 * side} fill={colour} />
      ) : (
        <circle class="tree-shape" r={radius} fill={colour} />
      )}
      {branch.proven && radius >= 3 && <circle class="tree-proven" r={branch.state === "terminal" ? side * 1.7 : radius + 3} />}
      {branch.cut && <path class="tree-cut" d={`M${-side} ${-side}L${side} ${side}M${side} ${-side}L${-side} ${side}`} />}
    </>
  );
}

export type Shaped = Pick<Branch, "state" | "proven" | "cut">;

export function classOf(branch: Shaped): string {
  return `is-${branch.state.replaceAll(" ", "-")}`;
}

const STATES = {
  unvisited: "not visited",
  visited: "visited",
  "not fully expanded": "not fully expanded",
  "fully expanded": "fully expanded",
  terminal: "terminal",
} as const;

export function stateWord(branch: Shaped) {
  return STATES[branch.state];
}

// Movement ------------------------------------------------------------------------------------------------------------

/** The picture on its way from the last one to the next. */
function useGliding(target: Layout): Layout {
  const [shown, show] = useState(target);
  const from = useRef<Layout | null>(null);
  const last = useRef(target);
  useEffect(() => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      last.current = target;
      show(target);
      return undefined;
    }
    from.current = last.current;
    const began = performance.now();
    let frame = requestAnimationFrame(function glide(now) {
      const part = Math.min(1, Math.max(0, now - began) / GLIDE);
      last.current = between(from.current, target, 1 - (1 - part) ** 3);
      show(last.current);
      if (part < 1) frame = requestAnimationFrame(glide);
    });
    return () => cancelAnimationFrame(frame);
  }, [target]);
  return shown;
}

/** How much room an element has, followed as it changes. */
export function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return undefined;
    const watcher = new ResizeObserver((entries) => setWidth(entries[0]!.contentRect.width));
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, []);
  return width;
}
