// -- the map ----------------------------------------------------------------------

// What the map shows now: clusters, how many if not those of the result, a column, and
// whether the objects are at other places than those the page was made with.
const shown = { cluster: data.map ? data.map.cluster : [], k: null, column: null, moved: false };

function objectName(i) {
  const map = data.map;
  if (map.name) return map.name[i];
  return "object " + (map.index ? map.index[i] : i);
}

// Columns besides the cluster: those by which the map can be coloured.
function columnValue(column, i) {
  if (column.names) return column.names[column.codes[i]];
  return column.values[i] === null ? "" : String(column.values[i]);
}

function objectRows(i) {
  const map = data.map;
  const rows = [
    ["cluster", String(map.cluster[i])],
    ["confidence", (map.confidence[i] / 100).toFixed(2)],
  ];
  const votes = map.votes[i];
  for (let j = 0; j < votes.length; j += 2)
    rows.push(["votes for " + votes[j], share(votes[j + 1])]);
  if (shown.k !== null) rows.push(["cluster of " + shown.k, String(shown.cluster[i])]);
  if (shown.column) rows.push([shown.column.name, columnValue(shown.column, i)]);
  return rows;
}

function startMap(holder) {
  const map = data.map;
  const svg = holder.querySelector("svg");
  const ring = svg.querySelector(".ring");
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const n = map.x.length;
  let current = -1;
  let only = null;

  // Objects in squares, so that the nearest is found among a few.
  const side = 24;
  const squares = new Map();
  function arrange() {
    squares.clear();
    for (let i = 0; i < n; i++) {
      const key = Math.floor(map.x[i] / side) + "," + Math.floor(map.y[i] / side);
      if (!squares.has(key)) squares.set(key, []);
      squares.get(key).push(i);
    }
  }
  arrange();

  function visible(i) {
    return only === null || shown.cluster[i] === only;
  }

  function nearest(x, y) {
    const cx = Math.floor(x / side);
    const cy = Math.floor(y / side);
    let best = -1;
    let least = 16 * 16;
    for (let a = cx - 1; a <= cx + 1; a++)
      for (let b = cy - 1; b <= cy + 1; b++)
        for (const i of squares.get(a + "," + b) || []) {
          const d = (map.x[i] - x) ** 2 + (map.y[i] - y) ** 2;
          if (d < least && visible(i)) {
            least = d;
            best = i;
          }
        }
    return best;
  }

  function mark(i) {
    current = i;
    ring.setAttribute("cx", i < 0 ? -50 : map.x[i]);
    ring.setAttribute("cy", i < 0 ? -50 : map.y[i]);
  }

  function tell(i, aloud) {
    mark(i);
    if (i < 0) return hideTooltip(holder);
    showTooltip(holder, objectName(i), objectRows(i), () => {
      const box = svg.getBoundingClientRect();
      return [
        box.left + (map.x[i] / width) * box.width,
        box.top + (map.y[i] / height) * box.height,
      ];
    });
    if (aloud) say(objectName(i), objectRows(i));
  }

  // The nearest object in a direction; what lies aside counts double.
  function beside(i, dx, dy) {
    let best = i;
    let least = Infinity;
    for (let j = 0; j < n; j++) {
      if (j === i || !visible(j)) continue;
      const along = (map.x[j] - map.x[i]) * dx + (map.y[j] - map.y[i]) * dy;
      const aside = (map.x[j] - map.x[i]) * dy - (map.y[j] - map.y[i]) * dx;
      if (along <= 0 || Math.abs(aside) > 2 * along + 6) continue;
      const d = along + 2 * Math.abs(aside);
      if (d < least) {
        least = d;
        best = j;
      }
    }
    return best;
  }

  function first() {
    for (let i = 0; i < n; i++) if (visible(i)) return i;
    return -1;
  }

  startPointer(
    holder,
    (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      const y = ((event.clientY - box.top) / box.height) * height;
      tell(nearest(x, y), false);
    },
    () => {
      if (document.activeElement === holder && holder.matches(":focus-visible")) return;
      tell(-1, false);
    }
  );
  holder.addEventListener("focus", () => {
    if (holder.matches(":focus-visible"))
      tell(current >= 0 ? current : first(), true);
  });
  holder.addEventListener("blur", () => {
    hideTooltip(holder);
    mark(-1);
  });
  const steps = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  holder.addEventListener("keydown", (event) => {
    if (event.key in steps)
      tell(current < 0 ? first() : beside(current, ...steps[event.key]), true);
    else if (event.key === "Home") tell(first(), true);
    else if (event.key === "Escape") return hideTooltip(holder);
    else return;
    event.preventDefault();
  });

  const legend = document.getElementById("legend");
  function showOnly(cluster) {
    only = cluster;
    for (const button of legend.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.cluster) === only));
    for (const marks of svg.querySelectorAll(".marks"))
      marks.classList.toggle("faint", only !== null && Number(marks.dataset.cluster) !== only);
  }
  legend.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const mine = Number(button.dataset.cluster);
    showOnly(only === mine ? null : mine);
    selection.count();
  });
  const selection = startSelection(holder, svg, visible, () => current);
  const redraw = startColors(svg, legend, () => {
    showOnly(null);
    selection.show();
  });
  const places = document.getElementById("places");
  const components = { x: map.x, y: map.y };
  if (places)
    places.addEventListener("change", () => {
      shown.moved = places.value !== "";
      Object.assign(map, shown.moved ? map.umap : components);
      arrange();
      tell(-1, false);
      redraw();
    });

  const find = document.getElementById("find");
  const found = document.getElementById("found");
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    hideTooltip(holder);
    mark(-1);
    found.textContent = "";
    if (!wanted) return;
    let hits = 0;
    let hit = -1;
    for (let i = 0; i < n; i++) {
      const name = objectName(i).toLowerCase();
      if (!name.includes(wanted)) continue;
      hits += 1;
      if (hit < 0 || name === wanted) hit = i;
      if (name === wanted) break;
    }
    if (hit < 0) {
      found.textContent = "no object has this in its name";
      return;
    }
    const rows = objectRows(hit);
    found.textContent =
      objectName(hit) + ": " + rows.slice(0, 2).map((row) => row.join(" ")).join(", ") +
      (hits > 1 ? " (the first of " + hits + ")" : "");
    mark(hit);
  });
}

// -- other numbers of clusters, and colours -------------------------------------------

function drawn(tag, given, parent) {
  // The page has a picture wherever something is drawn.
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
  attributes(made, given);
  if (parent) parent.appendChild(made);
  return made;
}

function attributes(made, given) {
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
}

function markPath(shape, x, y, r) {
  const corners = data.marks[shape % data.marks.length];
  const at = (v) => String(Math.round(10 * v) / 10);
  if (corners.length)
    return "M" + corners.map(([a, b]) => at(x + r * a) + " " + at(y + r * b)).join("L") + "z";
  const half = "a" + r + " " + r + " 0 1 0 ";
  return "M" + at(x - r) + " " + at(y) + half + 2 * r + " 0" + half + -2 * r + " 0z";
}

function clusterColor(cluster) {
  return data.colors[cluster % data.colors.length];
}

// Light values stay visible on white: the first part of the palette is left out.
function rampColor(part) {
  const colour = data.palette[70 + Math.round(185 * part)];
  return "#" + colour.toString(16).padStart(6, "0");
}

function colorOf(column) {
  if (!column) return (i) => clusterColor(shown.cluster[i]);
  if (column.names) return (i) => clusterColor(column.codes[i]);
  const known = column.values.filter((value) => value !== null);
  const low = Math.min(...known);
  const wide = Math.max(...known) - low || 1;
  const steps = 24;
  return (i) => {
    const value = column.values[i];
    if (value === null) return "#c9ced6";
    return rampColor(Math.round((steps * (value - low)) / wide) / steps);
  };
}

// Marks of the same cluster and colour are one path.
function drawMarks(before) {
  const map = data.map;
  const colour = colorOf(shown.column);
  // Hollow where the method is not sure, as on the page it was made with.
  const hollow = (i) =>
    shown.k === null && !shown.column && map.confidence[i] < 100 * map.guess;
  const groups = new Map();
  for (let i = 0; i < map.x.length; i++) {
    const cluster = shown.cluster[i];
    if (!groups.has(cluster)) groups.set(cluster, { places: [], paths: new Map() });
    const group = groups.get(cluster);
    const ink = hollow(i) ? "hollow " + colour(i) : colour(i);
    group.places.push(i);
    group.paths.set(
      ink,
      (group.paths.get(ink) || "") + markPath(cluster, map.x[i], map.y[i], map.r)
    );
  }
  const made = [];
  const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const clusters = [...groups.keys()].sort((a, b) => a - b);
  for (const cluster of clusters) {
    const marks = drawn("g", { class: "marks", "data-cluster": cluster }, null);
    for (const [ink, d] of groups.get(cluster).paths) {
      const [stroke, empty] = ink.split(" ").reverse();
      const style = empty
        ? { fill: "#fff", "fill-opacity": 0.6, stroke, "stroke-width": 1.1 }
        : { fill: ink, "fill-opacity": 0.85 };
      drawn("path", { d, ...style }, marks);
    }
    made.push(marks);
  }
  if (clusters.length <= 40)
    for (const cluster of clusters) {
      const places = groups.get(cluster).places;
      const x = middle(places.map((i) => map.x[i]));
      const y = middle(places.map((i) => map.y[i])) - (places.length <= 3 ? 16 : 0);
      const name = { class: "name", x, y, dy: "0.35em", "text-anchor": "middle" };
      made.push(drawn("text", name, null));
      made[made.length - 1].textContent = String(cluster);
    }
  before.before(...made);
  return made;
}

function keyOf(shape, fill) {
  const key = drawn("svg", { class: "key", viewBox: "-8 -8 16 16", width: 16, height: 16 }, null);
  key.setAttribute("aria-hidden", "true");
  drawn("path", { d: markPath(shape, 0, 0, 5.2), fill }, key);
  return key;
}

function fillLegend(legend, sizes) {
  legend.replaceChildren();
  sizes.forEach((size, cluster) => {
    if (!size) return;
    const button = element("button", null, element("li", null, legend));
    button.type = "button";
    button.dataset.cluster = cluster;
    button.setAttribute("aria-pressed", "false");
    button.append(keyOf(cluster, clusterColor(cluster)), " " + cluster + " ");
    element("span", "(" + size + ")", button).className = "quiet";
  });
}

function fillColorLegend(list) {
  const column = shown.column;
  list.hidden = !column;
  list.replaceChildren();
  if (!column) return;
  element("li", column.name + ":", list);
  if (column.names) {
    column.names.forEach((name, code) => {
      const item = element("li", null, list);
      item.append(keyOf(0, clusterColor(code)));
      element("bdi", name, item);
    });
    return;
  }
  const known = column.values.filter((value) => value !== null);
  element("li", String(Math.min(...known)), list);
  const strip = drawn("svg", { viewBox: "0 0 180 12", width: 180, height: 12 }, null);
  for (let i = 0; i < 36; i++)
    drawn("rect", { x: 5 * i, width: 5.2, height: 12, fill: rampColor(i / 35) }, strip);
  element("li", null, list).append(strip);
  element("li", String(Math.max(...known)), list);
}

function startColors(svg, legend, changed) {
  // What the page was made with comes back when nothing else is asked for.
  const first = [...svg.querySelectorAll(".marks, .name")];
  const buttons = [...legend.children];
  const after = svg.querySelector(".picked");
  const slider = document.getElementById("cuts");
  const choice = document.getElementById("color-by");
  const columns = [confidenceColumn(), ...data.columns];
  columns.forEach((column, i) => {
    element("option", column.name, choice).value = i;
  });
  let now = first;

  function redraw() {
    for (const one of now) one.remove();
    if (shown.k === null && !shown.column && !shown.moved) after.before(...(now = first));
    else now = drawMarks(after);
    if (shown.k === null) legend.replaceChildren(...buttons);
    else fillLegend(legend, data.cuts.sizes[slider.value]);
    fillColorLegend(document.getElementById("color-legend"));
    changed();
  }
  choice.addEventListener("change", () => {
    shown.column = choice.value === "" ? null : columns[choice.value];
    redraw();
  });
  if (slider)
    slider.addEventListener("input", () => {
      const k = data.cuts.k[slider.value];
      shown.k = k === data.cuts.own ? null : k;
      shown.cluster =
        shown.k === null
          ? data.map.cluster
          : [...data.cuts.letters[slider.value]].map((letter) => letter.charCodeAt(0) - 48);
      document.getElementById("cuts-now").textContent =
        k + (shown.k === null ? " (the result)" : "");
      slider.setAttribute("aria-valuetext", k + " clusters");
      redraw();
    });
  document.getElementById("map-tools").hidden = false;
  return redraw;
}

function confidenceColumn() {
  return { name: "confidence", values: data.map.confidence.map((value) => value / 100) };
}

// -- selected objects -------------------------------------------------------------------

// A text that a spreadsheet would run as a formula gets an apostrophe in front.
function cell(value) {
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r']/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
}

function tableOf(objects) {
  const map = data.map;
  const head = ["object", "cluster", "confidence"];
  if (shown.k !== null) head.push("cluster_of_" + shown.k);
  for (const column of data.columns) head.push(column.name);
  const lines = [head];
  for (const i of objects) {
    const name = map.name ? map.name[i] : map.index ? map.index[i] : i;
    const line = [name, map.cluster[i], map.confidence[i] / 100];
    if (shown.k !== null) line.push(shown.cluster[i]);
    for (const column of data.columns)
      line.push(column.names ? column.names[column.codes[i]] : (column.values[i] ?? ""));
    lines.push(line);
  }
  return lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
}

// By a rectangle of the mouse, or one by one with the space bar.
function startSelection(holder, svg, visible, currentObject) {
  const map = data.map;
  const picked = new Set();
  const marks = svg.querySelector(".picked");
  const brush = svg.querySelector(".brush");
  const button = document.getElementById("save-objects");
  const none = document.getElementById("no-objects");
  let from = null;

  function objects() {
    if (picked.size) return [...picked].sort((a, b) => a - b);
    return map.x.map((_, i) => i).filter(visible);
  }
  function count() {
    const words = picked.size ? " selected objects as CSV" : " objects as CSV";
    button.textContent = "Save " + objects().length + words;
    none.hidden = !picked.size;
  }
  function show() {
    marks.replaceChildren();
    for (const i of picked)
      drawn("circle", { cx: map.x[i], cy: map.y[i], r: map.r + 2.5 }, marks);
    count();
  }
  function place(event) {
    const box = svg.getBoundingClientRect();
    const size = svg.viewBox.baseVal;
    return [
      ((event.clientX - box.left) / box.width) * size.width,
      ((event.clientY - box.top) / box.height) * size.height,
    ];
  }
  function frame(event) {
    const [x, y] = place(event);
    return [Math.min(x, from[0]), Math.min(y, from[1]), Math.max(x, from[0]), Math.max(y, from[1])];
  }
  function drawBrush([a, b, c, d]) {
    attributes(brush, { x: a, y: b, width: c - a, height: d - b });
  }
  holder.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0) from = place(event);
  });
  window.addEventListener("pointermove", (event) => {
    if (from) drawBrush(frame(event));
  });
  window.addEventListener("pointerup", (event) => {
    if (!from) return;
    const [a, b, c, d] = frame(event);
    from = null;
    drawBrush([0, 0, 0, 0]);
    if (c - a < 4 && d - b < 4) return;
    if (!event.shiftKey) picked.clear();
    for (let i = 0; i < map.x.length; i++)
      if (visible(i) && map.x[i] >= a && map.x[i] <= c && map.y[i] >= b && map.y[i] <= d)
        picked.add(i);
    show();
  });
  holder.addEventListener("keydown", (event) => {
    const i = currentObject();
    if (event.key !== " " || i < 0) return;
    event.preventDefault();
    const taken = !picked.delete(i);
    if (taken) picked.add(i);
    show();
    said.textContent = objectName(i) + (taken ? " selected, " : " not selected, ") + picked.size;
  });
  none.addEventListener("click", () => {
    picked.clear();
    show();
    button.focus();
  });
  button.addEventListener("click", () => {
    const address = "data:text/csv;charset=utf-8," + encodeURIComponent(tableOf(objects()));
    save(fileName("objects", "csv"), address);
  });
  count();
  return { count, show };
}
