"""How Sphinx makes the site: `make docs`."""

import logging
import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "site"))
os.environ["MPLBACKEND"] = "Agg"

from thresher import __version__  # noqa: E402  (after the path is set)

project = "thresher"
author = "thresher developers"
copyright = "thresher developers. BSD 3-Clause"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "code_blocks",
    "reference",
    "table_cells",
]
exclude_patterns = ["site", "**sg_execution_times.rst"]
smartquotes = False
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# --- Pages

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

# --- Code: the button copies what was typed, without prompts and answers

copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_selector = ":not(.sphx-glr-script-out) > div.highlight > pre"

# --- The reference: docstrings are numpydoc's, and `name` in them is code

default_role = "literal"
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# --- Examples: run as the site is made

SECTIONS = ("decide", "understand", "run", "prove")
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": [f"../examples/{name}" for name in SECTIONS],
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib", "figure_style.apply"),
}

# sphinx-gallery warns of a space in any folder above the examples, which breaks no link of ours.
logging.getLogger("sphinx.sphinx-gallery").addFilter(
    lambda record: " " not in str(DOCS) or "spaces found" not in record.getMessage()
)

# --- What it looks like

html_theme = "pydata_sphinx_theme"
html_title = "thresher"
html_static_path = ["site/static"]
html_css_files = ["thresher.css"]
html_js_files = ["accessible.js"]
html_favicon = "site/static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {
        "image_light": "site/static/logo-light.svg",
        "image_dark": "site/static/logo-dark.svg",
        "alt_text": "thresher: to the front page",
    },
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
