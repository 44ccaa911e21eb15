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

// A drawing that needs no style sheet, on white, as wide as asked for.
function drawing(svg, width) {
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
  const box = svg.viewBox.baseVal;
  const paper = document.createElementNS(svg.namespaceURI, "rect");
  for (const name of ["x", "y", "width", "height"]) paper.setAttribute(name, box[name]);
  paper.setAttribute("fill", "#fff");
  copy.prepend(paper);
  copy.setAttribute("xmlns", svg.namespaceURI);
  copy.setAttribute("width", width);
  copy.setAttribute("height", Math.round((width * box.height) / box.width));
  const text = new XMLSerializer().serializeToString(copy);
  return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}

function savePicture(svg, words) {
  const width = Math.max(svg.viewBox.baseVal.width, 900) * 2;
  const picture = new Image();
  picture.onload = () => {
    const canvas = element("canvas", null, null);
    canvas.width = picture.naturalWidth;
    canvas.height = picture.naturalHeight;
    canvas.getContext("2d").drawImage(picture, 0, 0);
    save(fileName(words, "png"), canvas.toDataURL("image/png"));
  };
  picture.src = drawing(svg, width);
}

function startSaving(figure) {
  const svg = [...figure.querySelectorAll("svg")].find((one) => !one.closest(".legend"));
  if (!svg) return;
  const named = svg.closest("[aria-label]") || figure;
  const words = (named.getAttribute("aria-label") || "figure").split(/[.,]/)[0];
  const line = element("div", "Save the figure as", figure);
  line.className = "save";
  const ways = {
    SVG: () => save(fileName(words, "svg"), drawing(svg, Math.max(svg.viewBox.baseVal.width, 900))),
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
