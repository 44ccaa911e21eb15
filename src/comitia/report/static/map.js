// -- the map ----------------------------------------------------------------------

function objectName(i) {
  const map = data.map;
  if (map.name) return map.name[i];
  return "object " + (map.index ? map.index[i] : i);
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
  for (let i = 0; i < n; i++) {
    const key = Math.floor(map.x[i] / side) + "," + Math.floor(map.y[i] / side);
    if (!squares.has(key)) squares.set(key, []);
    squares.get(key).push(i);
  }

  function visible(i) {
    return only === null || map.cluster[i] === only;
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
    if (i < 0) return hideTooltip();
    showTooltip(objectName(i), objectRows(i), () => {
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

  holder.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const y = ((event.clientY - box.top) / box.height) * height;
    tell(nearest(x, y), false);
  });
  holder.addEventListener("pointerleave", () => {
    if (document.activeElement === holder && holder.matches(":focus-visible")) return;
    tell(-1, false);
  });
  holder.addEventListener("focus", () => {
    if (holder.matches(":focus-visible"))
      tell(current >= 0 ? current : first(), true);
  });
  holder.addEventListener("blur", () => {
    hideTooltip();
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
    else if (event.key === "Escape") return hideTooltip();
    else return;
    event.preventDefault();
  });

  const buttons = document.querySelectorAll("#legend button");
  for (const button of buttons)
    button.addEventListener("click", () => {
      const mine = Number(button.dataset.cluster);
      only = only === mine ? null : mine;
      for (const other of buttons)
        other.setAttribute("aria-pressed", String(Number(other.dataset.cluster) === only));
      for (const marks of svg.querySelectorAll(".marks"))
        marks.classList.toggle(
          "faint",
          only !== null && Number(marks.dataset.cluster) !== only
        );
    });

  const find = document.getElementById("find");
  const found = document.getElementById("found");
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    hideTooltip();
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
