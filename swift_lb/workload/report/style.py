"""The style sheet of the report, for screen and paper."""

CSS = """
:root { color-scheme: light; --ink: #1f2933; --soft: #5b6570; --line: #dde1e6; --pale: #f6f7f9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.5rem 4rem; color: var(--ink);
  background: #fff;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 1.7em; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2.6rem 0 .6rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line);
  font-size: 1.25em; }
h3 { margin: 1.4rem 0 .3rem; font-size: 1em; }
h1 .state { font-size: .5em; vertical-align: middle; }
p { margin: .4rem 0; max-width: 50rem; overflow-wrap: anywhere; }
ul { margin: .3rem 0; padding-left: 1.3rem; }
li { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.state { display: inline-block; padding: .05rem .55rem; border-radius: .3rem; font-size: .85em;
  font-weight: 600; white-space: nowrap; border: 1px solid var(--line); background: var(--pale); }
.good { color: #1d6b42; background: #e8f4ed; border-color: #bcdcca; }
.bad { color: #a12622; background: #fbeceb; border-color: #efc4c1; }
.stopped { color: #85560b; background: #fcf3e0; border-color: #ecd6a6; }
.verdict { margin: 1rem 0 1.4rem; padding: .6rem .9rem; border-left: 4px solid var(--line);
  background: var(--pale); }
.verdict.good { border-color: #3a8f5c; color: inherit; background: #f1f8f4; }
.verdict.bad { border-color: #c4423d; color: inherit; background: #fdf4f3; }
.verdict.stopped { border-color: #d09a2d; color: inherit; background: #fdf8ed; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: 1rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; }
.wide { overflow-x: auto; margin: .6rem 0 1rem; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .65rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; border-bottom-color: #aeb6bf; }
.text { text-align: left; }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 4.5rem; }
tbody tr:hover { background: var(--pale); }
.failed { color: #a12622; font-weight: 600; }
details { margin: .7rem 0; border: 1px solid var(--line); border-radius: .4rem;
  padding: 0 1rem; }
summary { padding: .5rem 0; cursor: pointer; font-weight: 600; }
details[open] { padding-bottom: .8rem; }
@media print {
  @page { margin: 14mm; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  table { font-size: 7.5pt; }
  th, td { padding: .12rem .35rem; }
  .wide { overflow: visible; }
  details { border: none; padding: 0; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  svg, tr, .verdict { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
}
"""
