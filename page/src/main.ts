/** Where the page begins. */
import { h, render } from "preact";
import { App } from "./app";
import "./styles/index.css";

render(h(App, {}), document.getElementById("app")!);
