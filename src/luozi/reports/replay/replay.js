"use strict";
(() => {
  const data = JSON.parse(document.getElementById("replay-data").textContent);
  const root = document.querySelector(".replay");
  const one = (selector) => root.querySelector(selector);
  const slider = one("input"), said = one(".said"), found = one(".found"), text = one("pre.text");
  const last = data.steps.length - 1, ns = "http://www.w3.org/2000/svg";
  let now = 0, timer = null;

  const shape = (kind, attributes, content) => {
    const made = document.createElementNS(ns, kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (content) made.textContent = content;
    return made;
  };

  function drawBoard(step) {
    if (text) { text.textContent = step.text; return; }
    const at = (cell) => data.centres[cell];
    one(".pieces").replaceChildren(...step.pieces.map(([cell, kind]) =>
      shape("use", { href: "#piece" + kind, x: at(cell)[0], y: at(cell)[1] })));
    const heat = [], seen = new Set();
    for (const row of step.found) {
      const [visits, word, cell] = row.slice(-3);
      if (cell < 0 || seen.has(cell)) continue;
      seen.add(cell);
      const share = visits / step.most;
      heat.push(shape("circle", { cx: at(cell)[0], cy: at(cell)[1], r: 7 + 7 * Math.sqrt(share), fill: "#1d6fb8",
        "fill-opacity": 0.3 + 0.7 * share }));
      heat.push(shape("text", { x: at(cell)[0], y: at(cell)[1] + 3.5, "font-size": 9.5, "text-anchor": "middle",
        "font-family": "sans-serif", "font-weight": "bold", fill: share > 0.25 ? "#fff" : "#15181b" },
        word));
    }
    one(".heat").replaceChildren(...heat);
    const marks = step.winning.map((cell) =>
      shape("circle", { cx: at(cell)[0], cy: at(cell)[1], r: 14.4, fill: "none", stroke: "#0b8f5a", "stroke-width": 3 }));
    if (step.last.length > 1) {
      marks.push(shape("polyline", { points: step.last.map((cell) => at(cell).join(",")).join(" "), fill: "none",
        stroke: "#c8322b", "stroke-width": 1.8 }));
    }
    step.others.forEach((cells) => cells.slice(-1).forEach((cell) => marks.push(
      shape("circle", { cx: at(cell)[0], cy: at(cell)[1], r: 3.2, fill: "none", stroke: "#c8322b", "stroke-width": 1.4 }))));
    step.last.slice(-1).forEach((cell) => marks.push(
      shape("circle", { cx: at(cell)[0], cy: at(cell)[1], r: 5.1, fill: "none", stroke: "#c8322b", "stroke-width": 2.2 })));
    one(".marks").replaceChildren(...marks);
  }

  function drawFound(step) {
    found.replaceChildren();
    if (!step.found.length) return;
    const table = document.createElement("table");
    const row = (tag, cells) => {
      const line = table.insertRow();
      for (const cell of cells) line.appendChild(document.createElement(tag)).textContent = cell;
    };
    row("th", step.columns);
    for (const cells of step.found) row("td", cells.slice(0, -3));
    found.append(table);
  }

  function show(number) {
    now = Math.max(0, Math.min(last, number));
    const step = data.steps[now];
    drawBoard(step);
    drawFound(step);
    slider.value = now;
    const rates = step.told ? " · " + step.told : "";
    const comment = step.comment ? " · " + step.comment : "";
    said.textContent = step.said + (now === last ? " · " + data.result : "") + rates + comment;
    const line = one(".graph .now");
    if (line) {
      const box = one(".graph svg").dataset, left = Number(box.left), right = Number(box.right);
      const x = left + (right - left) * now / Math.max(1, last);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
    for (const button of root.querySelectorAll(".moves button")) {
      const current = Number(button.dataset.step) === now;
      if (current) {
        button.setAttribute("aria-current", "step");
        const list = one(".moves"), top = button.offsetTop - list.offsetTop;
        if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 30) list.scrollTop = top - 40;
      } else button.removeAttribute("aria-current");
    }
  }

  function stop() { clearInterval(timer); timer = null; }
  function play() {
    if (timer) { stop(); return; }
    if (now === last) show(0);
    timer = setInterval(() => { show(now + 1); if (now === last) stop(); }, 700);
  }
  function mistake(way) {
    for (let number = now + way; number >= 0 && number <= last; number += way) {
      if (data.steps[number].grade) { show(number); return; }
    }
  }
  const doing = { first: () => show(0), previous: () => show(now - 1), play, next: () => show(now + 1),
    end: () => show(last), worse: () => mistake(-1), worst: () => mistake(1) };

  root.addEventListener("click", (event) => {
    const button = event.target.closest("button"), graph = event.target.closest(".graph svg");
    if (button && button.dataset.do) { if (button.dataset.do !== "play") stop(); doing[button.dataset.do](); }
    else if (button) { stop(); show(Number(button.dataset.step)); }
    else if (graph) {
      const box = graph.getBoundingClientRect(), left = Number(graph.dataset.left), right = Number(graph.dataset.right);
      const x = (event.clientX - box.left) * graph.viewBox.baseVal.width / box.width;
      stop();
      show(Math.round((x - left) / (right - left) * last));
    }
  });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "end" };
    if (keys[event.key]) { event.preventDefault(); stop(); doing[keys[event.key]](); }
  });
  const wanted = Number(location.hash.slice(1));
  show(location.hash && Number.isInteger(wanted) ? wanted : 0);
})();
