/** Where the page begins. */
import { h, render } from "preact";
import { App } from "./app";
import { followLooks } from "./state/looks";
import { start } from "./state/store";
import "./styles/index.css";

followLooks();
render(h(App, {}), document.getElementById("app")!);
start();
