# SPDX-License-Identifier: Apache-2.0
"""Names that would be more than names, of a page that let them."""

# What a page that took it for markup or code would run.
HIT = "window.npartHit=1"
HOSTILE = (
    f"<script>{HIT}</script>",
    f"</script><script>{HIT}</script>",
    f"<!--<script>{HIT}</script>",
    f"--><img src=x onerror={HIT}>",
    f"\"><img src=x onerror='{HIT}'>",
    f"' onmouseover='{HIT}' x='",
    f"javascript:{HIT}",
    f"`${{{HIT}}}`",
    f"]]><svg onload={HIT}>",
    "&lt;b&gt;&amp;&quot;&#x202e;",
    "right\u202eto-left\u202c\u2066isolate\u2069\u200fmark",
    "line\u2028separator\u2029paragraph\nfeed\rreturn\ttab",
    "zero\u200bwidth\ufeffmark\u00ad",
    "<no-text-here>",
    "__proto__",
    "constructor",
    "hasOwnProperty/toString/__proto__",
    "\\u003cscript\\u003e\\",
    "%s%n%22%3E",
    "=HYPERLINK(\"http://localhost/\")",
    "e\u0301" * 40 + "\U0001f600",
    "no-break-" * 600,
)
