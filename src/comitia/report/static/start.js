// -- start --------------------------------------------------------------------------

const map = document.getElementById("map-figure");
if (map && data.map) startMap(map);
const together = document.getElementById("heat-together");
if (together && data.heat) {
  const about = data.heat;
  const nameOf = (i) => {
    if (!about.object)
      return about.size[i] + " objects, cluster " + about.cluster[i];
    const object = about.object[i];
    const name = data.map && data.map.name ? data.map.name[object] : "object " + object;
    return name + ", cluster " + about.cluster[i];
  };
  startHeat(together, about, nameOf, about.cluster.length, "together");
}
const agreement = document.getElementById("heat-agreement");
if (agreement && data.agreement)
  startHeat(
    agreement,
    data.agreement,
    (i) => data.agreement.name[i],
    data.agreement.name.length,
    data.agreement.what || "agree"
  );
document.querySelectorAll("table.sortable").forEach(startTable);
document.querySelectorAll(".scroll").forEach(startScrolling);
for (const figure of document.querySelectorAll("figure")) startSaving(figure);
startTheme(document.getElementById("theme"));
startPrint();
startContents();
document.documentElement.dataset.ready = "true";
