// What the page does: names under the pointer and under the keyboard, tables that sort.
// Everything is text: names are set with textContent and nothing is parsed as HTML.
// The files of this folder are one script, in one function.

const data = JSON.parse(document.getElementById("data").textContent);
const tooltip = document.getElementById("tooltip");
const said = document.getElementById("said");

function element(tag, text, parent) {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}

// Where the thing stands that the tooltip is about, which moves when the page scrolls,
// and the figure that it is in: no other one hides it.
let anchor = null;
let figureOfTooltip = null;

function showTooltip(holder, title, rows, where) {
  tooltip.replaceChildren();
  const head = element("strong", null, tooltip);
  element("bdi", title, head);
  const body = element("tbody", null, element("table", null, tooltip));
  for (const [name, value] of rows) {
    const row = element("tr", null, body);
    element("td", name, row);
    element("td", value, row);
  }
  tooltip.hidden = false;
  anchor = where;
  figureOfTooltip = holder;
  placeTooltip();
}

function placeTooltip() {
  if (!anchor) return;
  const [x, y] = anchor();
  const box = tooltip.getBoundingClientRect();
  const right = document.documentElement.clientWidth;
  const bottom = document.documentElement.clientHeight;
  const left = x + 14 + box.width > right ? x - 14 - box.width : x + 14;
  const top = y + 14 + box.height > bottom ? y - 14 - box.height : y + 14;
  tooltip.style.left = Math.max(4, left) + "px";
  tooltip.style.top = Math.max(4, top) + "px";
}

function hideTooltip(holder) {
  if (holder !== figureOfTooltip) return;
  tooltip.hidden = true;
  anchor = null;
}

window.addEventListener("scroll", placeTooltip, { passive: true });

// A screen reader hears what the keyboard reaches; the pointer says nothing.
function say(title, rows) {
  said.textContent = [title].concat(rows.map((row) => row.join(" "))).join(", ");
}

function share(thousandths) {
  return (thousandths / 10).toFixed(1) + "\u202f%";
}

// A finger is there only while it touches: what it shows stays until it touches elsewhere.
function startPointer(holder, look, leave) {
  const isFinger = (event) => event.pointerType === "touch";
  holder.addEventListener("pointermove", look);
  holder.addEventListener("pointerdown", (event) => isFinger(event) && look(event));
  holder.addEventListener("pointerleave", (event) => isFinger(event) || leave());
  document.addEventListener("pointerdown", (event) => {
    if (isFinger(event) && !holder.contains(event.target)) leave();
  });
}

// -- heat maps ----------------------------------------------------------------------

// The values are in the picture: its colours are the places of the palette.
function readPicture(holder, n, then) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = n;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(picture, 0, 0);
    const pixels = context.getImageData(0, 0, n, n).data;
    const places = new Map(data.palette.map((colour, i) => [colour, i]));
    then((row, column) => {
      const at = 4 * (row * n + column);
      const colour = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
      return places.has(colour) ? places.get(colour) / 255 : NaN;
    });
  };
  picture.src = holder.querySelector("image").getAttribute("href");
}

function startHeat(holder, about, nameOf, n, what) {
  const svg = holder.querySelector("svg");
  const cursor = svg.querySelector(".cursor");
  let value = null;
  let row = 0;
  let column = 0;
  // Above the first row are the bars, where there are some.
  const top = about.tracks ? -1 : 0;

  // Where the picture begins on the screen, and how large its unit is.
  function corner() {
    const box = svg.getBoundingClientRect();
    const view = svg.viewBox.baseVal;
    const unit = box.width / view.width;
    return [box.left - view.x * unit, box.top - view.y * unit, unit];
  }

  function tell(aloud) {
    if (!value) return;
    const cell = 100 / n;
    const size = Math.max(cell, 1.2);
    attributes(cursor, {
      width: size,
      height: size,
      x: (column + 0.5) * cell - size / 2,
      y: (row + 0.5) * cell - size / 2,
    });
    const [down, across] = [row, column];
    const title = nameOf(row < 0 ? column : row);
    const rows =
      row < 0
        ? about.tracks.map((track) => [track.name, columnValue(track, column)])
        : [
            ["and", nameOf(column)],
            [what, (value(row, column) * about.largest).toFixed(2)],
          ];
    showTooltip(holder, title, rows, () => {
      const [left, top, unit] = corner();
      return [left + (across + 0.5) * cell * unit, top + (down + 0.5) * cell * unit];
    });
    if (aloud) say(title, rows);
  }

  function leave() {
    hideTooltip(holder);
    attributes(cursor, { width: 0, height: 0 });
  }

  readPicture(holder, n, (read) => {
    value = read;
    holder.dataset.ready = "true";
  });
  function look(event) {
    const [left, over, unit] = corner();
    const x = Math.floor(((event.clientX - left) / unit / 100) * n);
    const y = Math.floor(((event.clientY - over) / unit / 100) * n);
    if (x < 0 || x >= n || y >= n || (y < 0 && !about.tracks)) return leave();
    row = Math.max(y, top);
    column = x;
    tell(false);
  }
  startPointer(holder, look, leave);
  holder.addEventListener("blur", leave);
  holder.addEventListener("focus", () => {
    if (holder.matches(":focus-visible")) tell(true);
  });
  holder.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") column = Math.max(0, column - 1);
    else if (event.key === "ArrowRight") column = Math.min(n - 1, column + 1);
    else if (event.key === "ArrowUp") row = Math.max(top, row - 1);
    else if (event.key === "ArrowDown") row = Math.min(n - 1, row + 1);
    else if (event.key === "Escape") return leave();
    else return;
    event.preventDefault();
    tell(true);
  });
}

// -- tables -------------------------------------------------------------------------

function cellValue(row, place, numeric) {
  const cell = row.cells[place];
  const text = cell.dataset.value !== undefined ? cell.dataset.value : cell.textContent;
  if (!numeric) return text.trim();
  const plain = text.replace(/[\u202f\s]/g, "").replace(/\u2212/g, "-");
  if (plain === "inf" || plain === "\u221e") return Infinity;
  if (plain === "-inf" || plain === "-\u221e") return -Infinity;
  return parseFloat(plain);
}

function startTable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, place) => {
    const button = head.querySelector("button");
    if (!button) return;
    const numeric = button.dataset.sort === "number";
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const usual = numeric ? "descending" : "ascending";
      const next =
        now === "none" ? usual : now === "ascending" ? "descending" : "ascending";
      for (const other of heads)
        if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      const rows = [...body.rows].map((row) => [cellValue(row, place, numeric), row]);
      rows.sort((one, other) => {
        if (!numeric)
          return sign * one[0].localeCompare(other[0], undefined, { numeric: true });
        // What has no value stands last, whichever way the rest is sorted.
        if (Number.isNaN(one[0])) return Number.isNaN(other[0]) ? 0 : 1;
        if (Number.isNaN(other[0])) return -1;
        return one[0] === other[0] ? 0 : sign * (one[0] < other[0] ? -1 : 1);
      });
      for (const row of rows) body.appendChild(row[1]);
    });
  });
}

// A phone hides its scroll bars: a table that does not fit says so.
function startScrolling(box) {
  const look = () => box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1);
  new ResizeObserver(look).observe(box);
}

// -- print and contents -----------------------------------------------------------------

// Paper has no buttons: everything that is folded is unfolded, and folded again after.
function startPrint() {
  let opened = [];
  function open() {
    if (opened.length) return;
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  }
  function close() {
    for (const details of opened) details.open = false;
    opened = [];
  }
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
  window.matchMedia("print").addEventListener("change", (event) =>
    event.matches ? open() : close()
  );
}

function startContents() {
  const links = new Map();
  for (const link of document.querySelectorAll(".contents a"))
    links.set(link.getAttribute("href").slice(1), link);
  const seen = new Set();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) seen.add(entry.target.id);
        else seen.delete(entry.target.id);
      let found = false;
      for (const [id, link] of links) {
        const current = !found && seen.has(id);
        if (current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
        found = found || current;
      }
    },
    { rootMargin: "-15% 0px -60% 0px" }
  );
  for (const section of document.querySelectorAll("main > section"))
    watch.observe(section);
}
