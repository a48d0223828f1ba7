/** All views of the page. A view is one line here; its script is loaded when it is first shown. */
import type { ComponentType } from "preact";
import type { Word } from "../messages";

export interface View {
  name: string; // in the address: #name, and what follows a slash is the view's own: #name/rest
  title: Word; // in the menu
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

export interface ViewProps {
  rest: string; // what follows the view's name in the address
}

export const VIEWS: View[] = [
  { name: "play", title: "Play", load: () => import("./play") },
  { name: "new", title: "New game", load: () => import("./new-game") },
  { name: "tree", title: "Tree", load: () => import("./tree") },
  { name: "walk", title: "Walk", load: () => import("./iterations") },
  { name: "learn", title: "Learn", load: () => import("./learn") },
  { name: "results", title: "Results", load: () => import("./results") },
];
