/** Where the page begins. */
import { h, render } from "preact";
import { App } from "./app";
import { followLooks } from "./state/theme";
import { start } from "./state/store";
import { complain } from "./state/errors";
import { beginToSpeak, type Word } from "./messages";
import "./styles/index.css";

// Nothing that goes wrong on the page itself may go unseen; the console has the rest.
const WRONG: Word = "something went wrong on this page: load it again; the game is kept";
addEventListener("error", (event) => event.error && complain(WRONG));
addEventListener("unhandledrejection", () => complain(WRONG));
followLooks();
void beginToSpeak().finally(() => {
  render(h(App, {}), document.getElementById("app")!);
  start();
});
