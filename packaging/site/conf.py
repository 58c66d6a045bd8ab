# SPDX-License-Identifier: Apache-2.0
"""The documents as a site for any static host: relative links, nothing loaded from elsewhere. `make site` builds it."""
project = "npu-partition"
author = "The authors of npu-partition"
copyright = "the authors of npu-partition, Apache-2.0"
root_doc = "index"
extensions = ["myst_parser"]
# Anchors as code hosts make them, so that a link holds on both; one that leads nowhere fails the build (-W).
myst_heading_anchors = 6
# Op lists, cost files and rewrites have no colours; a heading may skip a level.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
highlight_language = "none"
smartquotes = False
templates_path = ["templates"]
html_theme = "furo"
html_title = "npu-partition"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["style"]
html_css_files = ["site.css"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "try.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
