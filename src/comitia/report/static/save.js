// -- what can be kept ---------------------------------------------------------------

function save(name, address) {
  const link = element("a", null, null);
  link.href = address;
  link.download = name;
  link.click();
}

// A name for a file, of what a figure shows.
function fileName(words, ending) {
  const plain = (document.title + " " + words).normalize("NFKD").toLowerCase();
  const parts = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return (parts || "figure").replace(/-+$/, "") + "." + ending;
}

const kept = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin",
  "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order",
  "image-rendering",
];

// The names beside a figure and what stands below it become a part of the drawing, at
// the places that they have on the page; the drawing is as large as they need.
function drawLegend(svg, copy) {
  const view = svg.viewBox.baseVal;
  const at = svg.getBoundingClientRect();
  const unit = view.width / at.width;
  const box = { x: view.x, y: view.y, width: view.width, height: view.height };
  function place(rect) {
    const x = (rect.left - at.left) * unit;
    const y = (rect.top - at.top) * unit;
    box.width = Math.max(box.width, x + (rect.width + 6) * unit);
    box.height = Math.max(box.height, y + (rect.height + 6) * unit);
    return { x: view.x + x, y: view.y + y, width: rect.width * unit, height: rect.height * unit };
  }
  for (const name of svg.querySelectorAll(".track")) place(name.getBoundingClientRect());
  for (const part of svg.closest("figure").querySelectorAll(".legend li, .scale")) {
    if (!part.getClientRects().length) continue;
    for (const sign of part.querySelectorAll("svg, img")) {
      const where = place(sign.getBoundingClientRect());
      if (sign.matches("img"))
        drawn("image", { ...where, href: sign.src, preserveAspectRatio: "none" }, copy);
      else attributes(copy.appendChild(plain(sign)), where);
    }
    const words = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (words.nextNode()) {
      range.selectNodeContents(words.currentNode);
      const { x, y, height } = place(range.getBoundingClientRect());
      const font = { "font-size": 14 * unit, "font-family": "sans-serif", fill: "#55606e" };
      drawn("text", { x, y: y + 0.75 * height, ...font }, copy).textContent =
        words.currentNode.data.trim();
    }
  }
  return box;
}

// A copy of a drawing that needs no style sheet.
function plain(svg) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const name of kept) {
      const value = style.getPropertyValue(name);
      if (value) to[i].setAttribute(name, value);
    }
  });
  for (const name of ["ring", "cursor", "brush"])
    for (const one of copy.querySelectorAll("." + name)) one.remove();
  for (const one of [copy, ...copy.querySelectorAll("*")])
    for (const name of ["class", "tabindex", "role", "aria-hidden"])
      one.removeAttribute(name);
  return copy;
}

// A figure on white, with the names beside it and the legend below it.
function drawing(svg) {
  const copy = plain(svg);
  const box = drawLegend(svg, copy);
  copy.prepend(drawn("rect", { ...box, fill: "#fff" }, null));
  const larger = Math.max(1, 900 / svg.viewBox.baseVal.width);
  attributes(copy, {
    viewBox: Object.values(box).join(" "),
    width: Math.round(larger * box.width),
    height: Math.round(larger * box.height),
  });
  copy.setAttribute("xmlns", svg.namespaceURI);
  const text = new XMLSerializer().serializeToString(copy);
  return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}

function savePicture(svg, words) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = element("canvas", null, null);
    canvas.width = 2 * picture.naturalWidth;
    canvas.height = 2 * picture.naturalHeight;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    save(fileName(words, "png"), canvas.toDataURL("image/png"));
  };
  picture.src = drawing(svg);
}

function startSaving(figure) {
  const svg = [...figure.querySelectorAll("svg")].find((one) => !one.closest(".legend"));
  if (!svg) return;
  const named = svg.closest("[aria-label]") || figure;
  const words = (named.getAttribute("aria-label") || "figure").split(/[.,]/)[0];
  const line = element("div", "Save the figure as", figure);
  line.className = "save";
  const ways = {
    SVG: () => save(fileName(words, "svg"), drawing(svg)),
    PNG: () => savePicture(svg, words),
  };
  for (const [way, act] of Object.entries(ways)) {
    const button = element("button", way, line);
    button.type = "button";
    button.setAttribute("aria-label", "Save as " + way + ": " + words);
    button.addEventListener("click", act);
  }
}

// -- light and dark -----------------------------------------------------------------

// The page follows the system until the button is pressed; nothing is stored.
function startTheme(button) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  function name() {
    button.textContent = isDark() ? "Light page" : "Dark page";
  }
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
}
