"""The report in a browser: it loads alone, and pointer, keys and paper reach it."""

import csv
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from comitia.report import write_report
from comitia.report._sections import Sections


@pytest.fixture(scope="module")
def page_of_iris(iris, tmp_path_factory):
    return write_report(iris, tmp_path_factory.mktemp("report") / "report.html")


def where(page, i):
    """Where the i-th object of the map is on the screen."""
    page.locator("#map-figure").scroll_into_view_if_needed()
    return page.evaluate(
        """i => {
            const data = JSON.parse(document.getElementById("data").textContent).map;
            const svg = document.querySelector("#map-figure svg");
            const box = svg.getBoundingClientRect();
            const scale = box.width / svg.viewBox.baseVal.width;
            return [box.left + data.x[i] * scale, box.top + data.y[i] * scale];
        }""",
        i,
    )


def alone(page):
    """An object that no other is near, so that the pointer can mean no other."""
    return page.evaluate(
        """() => {
            const data = document.getElementById("data").textContent;
            const { x, y } = JSON.parse(data).map;
            const near = x.map((_, i) => Math.min(...x.map((_, j) =>
                i === j ? Infinity : Math.hypot(x[i] - x[j], y[i] - y[j]))));
            return near.indexOf(Math.max(...near));
        }"""
    )


def test_the_pointer_shows_name_cluster_confidence_and_votes(visit, page_of_iris, iris):
    page = visit(page_of_iris)
    assert not page.locator("#tooltip").is_visible()
    i = alone(page)
    page.mouse.move(*where(page, i))
    text = page.locator("#tooltip").inner_text()
    assert f"flower {i}\n" in text
    assert f"cluster\t{iris.labels[i]}" in text
    assert f"confidence\t{iris.confidence[i]:.2f}" in text
    assert f"votes for {iris.labels[i]}" in text
    page.mouse.move(2, 2)
    assert not page.locator("#tooltip").is_visible()


def test_arrow_keys_walk_over_the_map_and_are_heard(visit, page_of_iris):
    page = visit(page_of_iris)
    page.locator("#find").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "map-figure"
    assert "flower 0" in page.locator("#tooltip").inner_text()
    heard = [page.locator("#said").inner_text()]
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        heard.append(page.locator("#said").inner_text())
    assert all(one != other for one, other in pairwise(heard))
    assert all("confidence" in text and "votes for" in text for text in heard)
    page.keyboard.press("Tab")
    assert not page.locator("#tooltip").is_visible()


def test_an_object_is_found_by_its_name(visit, page_of_iris):
    page = visit(page_of_iris)
    page.fill("#find", "FLOWER 14")
    assert page.locator("#found").inner_text().startswith("flower 14: cluster")
    page.fill("#find", "no such thing")
    assert "no object" in page.locator("#found").inner_text()


def test_the_legend_shows_one_cluster_alone(visit, page_of_iris):
    page = visit(page_of_iris)
    button = page.locator("#legend button").nth(1)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    faint = page.locator(".marks.faint")
    assert faint.evaluate_all("all => all.map(g => g.dataset.cluster)") == ["0", "2"]
    button.click()
    assert faint.count() == 0


def test_heat_maps_tell_their_values(visit, page_of_iris, iris):
    page = visit(page_of_iris)
    page.wait_for_selector("#heat-together[data-ready]")
    page.wait_for_selector("#heat-agreement[data-ready]")
    page.locator("#heat-together").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    # The first object with itself: always together.
    assert page.locator("#said").inner_text().endswith("together 1.00")
    # Above the first row are the bars.
    page.keyboard.press("ArrowUp")
    first = Sections(iris).heat_map.order[0]
    said = page.locator("#said").inner_text()
    assert said.startswith(f"flower {first}, cluster {iris.labels[first]}, confidence")
    assert f"known class {iris.truth[first]}" in said
    page.keyboard.press("Escape")
    page.locator("#heat-agreement").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.locator("#said").inner_text().endswith("agree 1.00")
    page.locator("#heat-together").scroll_into_view_if_needed()
    box = page.locator("#heat-together svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "flower" in page.locator("#tooltip").inner_text()


def column(page, table, place):
    return page.locator(f"#{table} tbody tr").evaluate_all(
        "(rows, i) => rows.map(row => row.cells[i].textContent)", place
    )


def test_tables_sort_both_ways_and_say_so(visit, page_of_iris):
    page = visit(page_of_iris)
    table = page.locator("#table-agreement")
    button = table.get_by_role("button", name="Clusters")
    before = column(page, "table-agreement", 1)
    button.click()
    falling = [int(text) for text in column(page, "table-agreement", 1)]
    assert falling == sorted(map(int, before), reverse=True)
    head = table.locator("th").nth(1)
    assert head.get_attribute("aria-sort") == "descending"
    button.press("Enter")
    rising = [int(text) for text in column(page, "table-agreement", 1)]
    assert rising == sorted(falling)
    assert head.get_attribute("aria-sort") == "ascending"
    sorts = table.locator("th[aria-sort]").evaluate_all(
        "all => all.map(head => head.getAttribute('aria-sort'))"
    )
    assert sorted(sorts) == ["ascending", "none", "none", "none"]


def test_names_sort_as_people_count(visit, page_of_iris):
    page = visit(page_of_iris)
    page.locator("#table-agreement").get_by_role("button", name="Clustering").click()
    names = column(page, "table-agreement", 0)
    assert names == [f"clustering {m}" for m in range(12)]


def test_names_stay_text(visit, nasty, tmp_path):
    page = visit(write_report(nasty, tmp_path / "report.html"))
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 2
    assert page.locator("main img[src=x]").count() == 0
    page.locator("#find").focus()
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.fill("#find", "</script>")
    assert "<script>" in page.locator("#found").inner_text()
    assert page.evaluate("window.hacked") is None
    assert "49" not in page.locator("#table-least").inner_text().split()


def test_everything_is_unfolded_and_nothing_cut_off_on_paper(visit, page_of_iris):
    page = visit(page_of_iris, width=720)
    folded = page.locator("details:not([open])").count()
    assert folded
    page.emulate_media(media="print")
    # The policy of the page forbids the functions that Playwright would wait with.
    page.locator("details:not([open])").first.wait_for(state="detached")
    assert not page.locator(".contents").is_visible()
    assert page.locator(".tools:visible").count() == 0
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 720
    cut = page.evaluate(
        """[...document.querySelectorAll(".scroll, pre")].filter(
            box => getComputedStyle(box).overflowX !== "visible").length"""
    )
    assert cut == 0
    page.emulate_media(media="screen")
    page.locator("details:not([open])").nth(folded - 1).wait_for(state="attached")


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_the_page_fits_the_window(visit, page_of_iris, width):
    page = visit(page_of_iris, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_table_that_does_not_fit_says_so(visit, page_of_iris):
    narrow = visit(page_of_iris, width=360).locator(".scroll.more")
    narrow.first.wait_for()
    assert visit(page_of_iris, width=1280).locator(".scroll.more").count() == 0


def test_a_finger_shows_what_the_pointer_shows_until_it_touches_elsewhere(
    visit, page_of_iris
):
    page = visit(page_of_iris, width=360)
    page.wait_for_selector("#heat-together[data-ready]")
    for figure in ("#map-figure", "#heat-together"):
        holder = page.locator(figure)
        holder.scroll_into_view_if_needed()
        box = page.locator(f"{figure} svg").bounding_box()
        finger = {
            "pointerType": "touch",
            "bubbles": True,
            "clientX": box["x"] + 0.2 * box["width"],
            "clientY": box["y"] + 0.45 * box["height"],
        }
        for kind in ("pointerdown", "pointerup", "pointerleave"):
            holder.dispatch_event(kind, finger)
        assert "flower" in page.locator("#tooltip").inner_text()
    page.locator("h1").dispatch_event("pointerdown", finger)
    assert not page.locator("#tooltip").is_visible()


def test_the_skip_link_and_the_contents_lead_somewhere(visit, page_of_iris):
    page = visit(page_of_iris)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["y"] >= 0
    dead = page.evaluate(
        """[...document.querySelectorAll("a[href^='#']")].filter(
            link => !document.getElementById(link.getAttribute("href").slice(1)))
            .length"""
    )
    assert dead == 0


def contrast_failures(page):
    """Texts that stand out less than 4.5 : 1 from what is behind them."""
    return page.evaluate(
        """() => {
            const light = (c) => {
                const [r, g, b] = c.map(v => (v /= 255) <= 0.03928
                    ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const parse = (text) => text.match(/[\\d.]+/g).map(Number);
            const behind = (element) => {
                for (let e = element; e; e = e.parentElement) {
                    const c = parse(getComputedStyle(e).backgroundColor);
                    if (c.length < 4 || c[3] > 0) return c;
                }
                return [255, 255, 255];
            };
            const wrong = [];
            for (const element of document.querySelectorAll("body *")) {
                const own = [...element.childNodes].some(
                    node => node.nodeType === 3 && node.textContent.trim());
                if (!own || element.closest("script, svg, .unseen")) continue;
                const style = getComputedStyle(element);
                const [a, b] = [light(parse(style.color).slice(0, 3)),
                                light(behind(element).slice(0, 3))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (ratio < 4.5) wrong.push(element.textContent.trim());
            }
            return wrong;
        }"""
    )


def test_texts_stand_out_from_the_page(visit, page_of_iris):
    assert contrast_failures(visit(page_of_iris)) == []


def test_headings_are_in_order(visit, page_of_iris):
    page = visit(page_of_iris)
    levels = page.locator("h1, h2, h3, h4").evaluate_all(
        "all => all.map(head => Number(head.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_the_tooltip_stays_with_its_object_when_the_page_scrolls(visit, page_of_iris):
    page = visit(page_of_iris)
    page.locator("#find").focus()
    page.keyboard.press("Tab")
    apart = """() => {
        const box = document.getElementById("tooltip").getBoundingClientRect();
        const ring = document.querySelector(".ring").getBoundingClientRect();
        return [box.left - ring.right, box.top - ring.bottom];
    }"""
    page.wait_for_timeout(800)  # until the browser has scrolled to what has the focus
    before = page.evaluate(apart)
    page.evaluate("window.scrollBy({ top: -40, behavior: 'instant' })")
    page.wait_for_timeout(100)
    assert page.evaluate(apart) == pytest.approx(before, abs=1.0)


def saved(page, button):
    """The file that a button saves: its name and what is in it."""
    with page.expect_download() as download:
        page.locator(button).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_every_figure_can_be_saved(visit, page_of_iris):
    page = visit(page_of_iris)
    assert page.locator("figure").count() == page.locator(".save").count() > 3
    name, drawing = saved(page, "#map .save button >> nth=0")
    assert name == "iris-csv-map-of-150-objects-in-3-clusters.svg"
    root = ElementTree.fromstring(drawing)
    paths = root.findall(".//{http://www.w3.org/2000/svg}path")
    hollow = "rgb(255, 255, 255)"  # where the consensus is not sure
    assert {path.get("fill") for path in paths} - {hollow} == {
        "rgb(0, 114, 178)",
        "rgb(199, 78, 0)",
        "rgb(0, 131, 95)",
    }
    assert b"class=" not in drawing
    _, drawing = saved(page, "#together .save button >> nth=0")
    words = "".join(ElementTree.fromstring(drawing).itertext())
    # Names of the bars, and the legend of the page.
    assert "petal length (cm)" in words
    assert "virginica" in words
    name, picture = saved(page, "#together .save button >> nth=1")
    assert name.endswith(".png")
    assert picture.startswith(b"\x89PNG")


def test_the_page_is_dark_where_the_system_or_the_button_says_so(visit, page_of_iris):
    page = visit(page_of_iris)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.locator("#theme").click()
    dark = page.evaluate(background)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(22, 25, 30)")
    assert contrast_failures(page) == []
    page.locator("#theme").click()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == light
    other = visit(page_of_iris)
    other.emulate_media(color_scheme="dark")
    assert other.evaluate(background) == dark
    # Paper is white.
    other.emulate_media(media="print", color_scheme="dark")
    assert other.evaluate(background) == light


def test_the_slider_shows_other_numbers_of_clusters(visit, page_of_iris, iris):
    page = visit(page_of_iris)
    clusters = "[...document.querySelectorAll('.marks')].map(g => g.dataset.cluster)"
    legend = page.locator("#legend button")
    before = legend.all_inner_texts()
    page.locator("#cuts").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(clusters) == ["0", "1", "2", "3"]
    cut = Sections(iris).cuts[4]
    assert legend.all_inner_texts() == [
        f"{c}\n({size})" for c, size in enumerate(np.bincount(cut))
    ]
    page.mouse.move(*where(page, 0))
    assert f"cluster of 4\t{cut[0]}" in page.locator("#tooltip").inner_text()
    page.locator("#cuts").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(clusters) == ["0", "1", "2"]
    assert legend.all_inner_texts() == before
    assert page.locator("#cuts-now").inner_text() == "3 (the result)"


def test_the_map_is_coloured_by_a_column(visit, page_of_iris):
    page = visit(page_of_iris)
    # Where the consensus is not sure, marks are hollow.
    fills = """[...new Set([...document.querySelectorAll('.marks path')].map(
        path => path.getAttribute('fill')))].filter(fill => fill !== '#fff')"""
    assert len(page.evaluate(fills)) == 3
    page.select_option("#color-by", label="petal length (cm)")
    assert len(page.evaluate(fills)) > 10
    assert page.locator("#color-legend").inner_text().split()[-1] == "6.9"
    i = alone(page)
    page.mouse.move(*where(page, i))
    assert "petal length (cm)" in page.locator("#tooltip").inner_text()
    page.select_option("#color-by", label="known class")
    assert "virginica" in page.locator("#color-legend").inner_text()
    page.select_option("#color-by", label="cluster")
    assert not page.locator("#color-legend").is_visible()
    assert len(page.evaluate(fills)) == 3


def test_the_second_map_has_the_objects_at_other_places(visit, iris, tmp_path):
    turned = iris.positions[:, ::-1].astype(np.float32)
    both = replace(iris, details={**iris.details, "umap": turned})
    page = visit(write_report(both, tmp_path / "report.html"))
    marks = (
        "[...document.querySelectorAll('.marks path')].map(p => p.getAttribute('d'))"
    )
    before = page.evaluate(marks)
    page.select_option("#places", label="UMAP")
    assert page.evaluate(marks) != before
    places = Sections(both).map_data()["umap"]
    box = page.locator("#map-figure svg").bounding_box()
    i = int(np.argmax(places["x"]))
    scale = box["width"] / 900
    page.locator("#map-figure").hover(
        position={"x": scale * places["x"][i], "y": scale * places["y"][i]}
    )
    assert f"flower {i}\n" in page.locator("#tooltip").inner_text()
    page.select_option("#places", label="principal components")
    assert page.evaluate(marks) == before


def rows_of(page):
    name, text = saved(page, "#save-objects")
    assert name == "iris-csv-objects.csv"
    return list(csv.DictReader(text.decode().splitlines()))


def test_selected_objects_are_saved(visit, page_of_iris, iris):
    page = visit(page_of_iris)
    everything = rows_of(page)
    assert [row["object"] for row in everything] == iris.object_names.tolist()
    assert everything[3]["cluster"] == str(iris.labels[3])
    assert everything[3]["petal length (cm)"] == "1.5"
    page.locator("#legend button").nth(1).click()
    assert {row["cluster"] for row in rows_of(page)} == {"1"}
    page.locator("#legend button").nth(1).click()
    page.locator("#find").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert [row["object"] for row in rows_of(page)] == ["flower 0"]
    page.locator("#no-objects").click()
    i = alone(page)
    x, y = where(page, i)
    page.mouse.move(x - 9, y - 9)
    page.mouse.down()
    page.mouse.move(x + 9, y + 9)
    page.mouse.up()
    assert [row["object"] for row in rows_of(page)] == [f"flower {i}"]
