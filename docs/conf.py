"""How the documentation is built: ``make docs``."""

import html
import os
import re
import sys
from functools import partial
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pages  # noqa: E402

import comitia  # noqa: E402
from comitia import catalogue  # noqa: E402
from comitia.report.mathml import UnknownTeX, mathml  # noqa: E402

project = "comitia"
author = "The comitia developers"
copyright = author  # noqa: A001
release = comitia.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
# Names of other libraries are links where the pages are hosted. Elsewhere nothing is
# fetched, so that make docs works offline.
if os.environ.get("READTHEDOCS"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "numpy": ("https://numpy.org/doc/stable", None),
        "python": ("https://docs.python.org/3", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
    html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")
html_extra_path = ["llms.txt"]
exclude_patterns = ["generated/tables/*"]
# What is used when no method is named, for the text: |default_method| and its kin.
_defaults = {
    **{name.lower(): getattr(catalogue, name) for name in catalogue.__all__},
    **{f"default_for_{need}": one for need, one in catalogue.DEFAULT_FOR.items()},
}
rst_epilog = "\n".join(
    f".. |{name}| replace:: ``{value}``"
    for name, value in _defaults.items()
    if name.startswith("default_") and isinstance(value, str)
)
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["comitia.css"]
html_title = "comitia"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": True,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
}
# These pages have no pages below them, and wide tables.
html_sidebars = {
    page: []
    for page in ("getting_started", "framework", "evaluation", "benchmarks", "errata")
}
html_copy_source = False
html_show_sourcelink = False

# Browsers set MathML by themselves: the pages fetch nothing and can be read offline.
html_math_renderer = "mathml"
extlinks = {
    "doi": ("https://doi.org/%s", "doi:%s"),
    "arxiv": ("https://arxiv.org/abs/%s", "arXiv:%s"),
}

autosummary_generate = False  # pages.py writes the stubs
autodoc_typehints = "none"
autodoc_default_options = {"member-order": "bysource"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "nested_sections": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
}

# Examples take their seeds from the code; threads would only make times differ.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def readable_types(app, what, name, obj, options, lines):
    """Put a parameter and its type on one line, and keep ``n_iter_`` from being a link.

    numpydoc hands the types on as they are, and reStructuredText reads a word with an
    underscore behind it as the name of a link.
    """
    text = re.sub(r" ?\\\n\s+", " ", "\n".join(lines))
    lines[:] = [
        re.sub(r"(?<=\w)_(?=[\s,)+-])", r"\\_", line)
        if re.match(r"\w+(, \w+)* : ", line)
        else line
        for line in text.split("\n")
    ]
    # The name itself is set in bold by numpydoc, which minds underscores.
    lines[:] = [re.sub(r"^(\w+)\\_ : ", r"\1_ : ", line) for line in lines]


def skip_metadata_routing(app, what, name, obj, skip, options):
    """Leave out what scikit-learn adds to every estimator."""
    return skip or name.endswith(("_request", "_metadata_routing")) or None


def _formula(self, node, display):
    try:
        text = mathml(node.astext(), display=display)
    except UnknownTeX:
        text = f"<code>{html.escape(node.astext())}</code>"
    self.body.append(f'<div class="formula">{text}</div>' if display else text)
    raise nodes.SkipNode


def setup(app):
    """Write the pages that are made from the code before the others are read."""
    app.connect("builder-inited", lambda app: pages.write_all(Path(app.srcdir)))
    app.add_html_math_renderer(
        "mathml",
        (partial(_formula, display=False), None),
        (partial(_formula, display=True), None),
    )
    # Before numpydoc, whose priority is 500.
    app.connect("autodoc-process-docstring", readable_types, priority=400)
    app.connect("autodoc-skip-member", skip_metadata_routing)
