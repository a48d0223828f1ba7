/** Where the page begins. */
import { h, render } from "preact";
import { App } from "./app";
import { followLooks } from "./state/looks";
import { start } from "./state/store";
import { complain } from "./state/trouble";
import { catalogue } from "./words";
import "./styles/index.css";

// Nothing that goes wrong on the page itself may go unseen; the console has the rest.
addEventListener("error", (event) => event.error && complain(catalogue.told_page_wrong.en));
addEventListener("unhandledrejection", () => complain(catalogue.told_page_wrong.en));
followLooks();
render(h(App, {}), document.getElementById("app")!);
start();
