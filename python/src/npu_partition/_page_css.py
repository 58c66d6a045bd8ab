# SPDX-License-Identifier: Apache-2.0
"""Styles of what a notebook shows. Written by tools/generate/notebook_css.py from web/page; do not edit."""
CSS = """\
.npu-partition { color-scheme: light dark; --background: #ffffff; --surface: #f5f6f8; --raised: #e8ebf0; --border:
#d3d8df; --control: #7d8590; --text: #1b1f24; --muted: #57606a; --accent: #0a58ca; --on-accent: #ffffff; --npu: #146c3c;
--cpu: #954c00; --fail: #b91c2b; --unknown: #7a3cad; --other: #5a636e; --selected: #0a58ca; --selected-surface: #e3edfb;
--cause-1: #0b5394; --cause-2: #a61e4d; --cause-3: #5f3dc4; --cause-4: #056b50; --cause-5: #7a4f01; --cause-6: #495057;
--font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; --code: ui-monospace,
"SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; --bar-height: 2.75rem; }
.npu-partition { color-scheme: light; }
body[data-jp-theme-light="false"] .npu-partition, body.vscode-dark .npu-partition, html[theme=dark] .npu-partition {
color-scheme: dark; --background: #14171b; --surface: #1e2329; --raised: #2a3038; --border: #3a414b; --control: #79828d;
--text: #e6eaef; --muted: #a3acb7; --accent: #6ea8fe; --on-accent: #0d1117; --npu: #4cc38a; --cpu: #f0a04b; --fail:
#ff7b86; --unknown: #c79bf2; --other: #98a1ac; --selected: #6ea8fe; --selected-surface: #1d2f4a; --cause-1: #74b0f4;
--cause-2: #f783ac; --cause-3: #b197fc; --cause-4: #63e6be; --cause-5: #ffd43b; --cause-6: #adb5bd; }
.npu-partition * { box-sizing: border-box; }
.npu-partition h1, .npu-partition h2, .npu-partition h3, .npu-partition p, .npu-partition ul, .npu-partition dl,
.npu-partition dd { margin: 0; padding: 0; }
.npu-partition ul { list-style: none; }
.npu-partition h1 { font-size: 1.45rem; line-height: 1.25; font-weight: 650; }
.npu-partition h2 { font-size: 1.15rem; line-height: 1.3; font-weight: 650; }
.npu-partition h3 { font-size: 1rem; font-weight: 650; }
.npu-partition code, .npu-partition .code { font-family: var(--code); font-size: 0.9em; }
.npu-partition .muted { color: var(--muted); }
.npu-partition .number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.npu-partition .nowrap { white-space: nowrap; }
.npu-partition .offscreen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
white-space: nowrap; }
.npu-partition .problem { padding: 0.5rem 0.75rem; border-left: 4px solid var(--fail); background: var(--surface); }
.npu-partition summary { cursor: pointer; color: var(--accent); width: fit-content; }
.npu-partition table { border-collapse: collapse; width: 100%; font-size: 0.93em; }
.npu-partition th, .npu-partition td { padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px
solid var(--border); }
.npu-partition thead th { color: var(--muted); font-weight: 600; white-space: nowrap; }
.npu-partition .scroll { position: relative; overflow-x: auto; }
.npu-partition .model { min-width: 0; overflow-wrap: anywhere; }
.npu-partition .overview { white-space: nowrap; }
.npu-partition .overview thead th { white-space: normal; vertical-align: bottom; }
.npu-partition .overview th, .npu-partition .overview td { padding: 0.3rem 0.45rem; }
.npu-partition .strip { display: block; width: 100%; min-width: 6rem; height: 1rem; background: var(--surface);
print-color-adjust: exact; }
.npu-partition .overview th.name { font-weight: 600; min-width: 12rem; white-space: normal; overflow-wrap: anywhere; }
.npu-partition .overview .first-step { white-space: normal; min-width: 11rem; overflow-wrap: anywhere; }
.npu-partition .sign { display: inline-block; width: 1.25em; text-align: center; }
.npu-partition .answer { display: inline-flex; gap: 0.15em; align-items: center; font-weight: 650; white-space: nowrap;
}
.npu-partition .answer-good { color: var(--npu); }
.npu-partition .answer-warning { color: var(--cpu); }
.npu-partition .answer-bad { color: var(--fail); }
.npu-partition .answer-plain { color: var(--other); }
.npu-partition .command { display: inline-flex; max-width: 100%; gap: 0.5rem; align-items: center; padding: 0.25rem
0.3rem 0.25rem 0.6rem; border: 1px solid var(--border); border-radius: 6px; background: var(--surface); }
.npu-partition .command code { min-width: 0; overflow-wrap: anywhere; }
.npu-partition .bar { display: inline-block; width: 100%; height: 6px; border-radius: 3px; background: var(--raised);
overflow: hidden; }
.npu-partition .bar, .npu-partition .bar > span { print-color-adjust: exact; }
.npu-partition .bar > span { display: block; height: 100%; background: var(--npu); }
.npu-partition .headline-verdict { font-size: 1.35rem; line-height: 1.35; }
.npu-partition .headline-verdict .answer { margin-right: 0.35rem; }
.npu-partition .recommendation { margin-top: 0.35rem; font-size: 1.05rem; }
.npu-partition .answer-unknown { color: var(--unknown); }
.npu-partition .figures { display: flex; flex-wrap: wrap; gap: 1px; margin: 1.1rem 0; border: 1px solid var(--border);
border-radius: 8px; background: var(--border); overflow: hidden; }
.npu-partition .figure { flex: 1 1 9rem; padding: 0.7rem 0.9rem 0.8rem; background: var(--background); }
.npu-partition .figure dt { color: var(--muted); font-size: 0.9em; }
.npu-partition .figure dd { display: flex; flex-direction: column; gap: 0.2rem; }
.npu-partition .figure .value { font-size: 1.5rem; line-height: 1.3; font-weight: 600; font-variant-numeric:
tabular-nums; white-space: nowrap; }
.npu-partition .figure .note { color: var(--muted); font-size: 0.87em; }
.npu-partition .first-action { display: grid; margin-top: 0.7rem; grid-template-columns: minmax(0, 1fr); gap: 0.5rem;
padding: 0.9rem 1.1rem 1.1rem; border-left: 4px solid var(--accent); border-radius: 0 8px 8px 0; background:
var(--surface); }
.npu-partition .first-action .command { background: var(--background); }
.npu-partition .action-text { font-size: 1.05rem; }
.npu-partition .action-command { display: flex; flex-wrap: wrap; gap: 0.4rem 0.6rem; align-items: center; }
.npu-partition .findings { display: grid; gap: 0.3rem; margin: 0.4rem 0; }
.npu-partition { color: var(--text); background: var(--background); padding: 0.6rem 0.9rem; max-width: 60rem; font:
15px/1.5 var(--font); overflow-wrap: break-word; }
.npu-partition .strip { max-width: 100%; margin-top: 0.7rem; }
.npu-partition h2 { margin-top: 0.9rem; }
.npu-partition > details { margin-top: 0.6rem; }
.npu-partition .lane-npu { fill: var(--npu); }
.npu-partition .lane-cpu { fill: var(--cpu); }
.npu-partition .lane-fail { fill: var(--fail); }
.npu-partition .lane-unknown { fill: var(--unknown); }
"""
