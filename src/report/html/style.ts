const LIGHT = `
  color-scheme: light;
  --page: #fff; --panel: #f7f8f9; --text: #1b1f24; --muted: #5a6370; --rule: #e4e7ea; --edge: #c9ced4;
  --s1: #0072b2; --s2: #b86e00; --s3: #008f68; --s4: #b8578f; --s5: #6a51a3; --s6: #3a9bd1; --s7: #8c6d31; --s8: #8a929c;
  --held: #737c87; --gain: #0072b2; --loss: #d55e00; --lost: #b34a00;`;

const DARK = `
  color-scheme: dark;
  --page: #14171a; --panel: #1c2024; --text: #e4e7ea; --muted: #9aa3ad; --rule: #2a2f35; --edge: #414850;
  --s1: #56b4e9; --s2: #f0b429; --s3: #2fc79b; --s4: #e08fc0; --s5: #a997e0; --s6: #8fd0f5; --s7: #cbb06a; --s8: #8a929c;
  --held: #a0a8b2; --gain: #56b4e9; --loss: #ff8b4d; --lost: #ff8b4d;`;

const STYLES = ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8', 'held', 'gain', 'loss'];

const SHADES = [14, 28, 44, 62];

const PAGE = `
* { box-sizing: border-box; }
html { scroll-padding-top: 3rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto,
  'Helvetica Neue', Arial, sans-serif; font-variant-numeric: tabular-nums; }
header, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
h1 { font-size: 22px; line-height: 1.2; margin: 0; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 17px; font-weight: 650; margin: 36px 0 12px; padding-bottom: 6px; border-bottom: 1px solid var(--edge); }
h3 { font-size: 14px; font-weight: 600; margin: 0; }
p { margin: 0; }
code { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
button, input { font: inherit; color: inherit; }
button { background: var(--panel); border: 1px solid var(--edge); border-radius: 4px; padding: 2px 9px; cursor: pointer; }
button:disabled { opacity: .45; cursor: default; }
button[aria-pressed=true] { background: var(--text); color: var(--page); border-color: var(--text); }
:focus-visible { outline: 2px solid var(--s1); outline-offset: 2px; }
#theme { flex: none; }
.top { display: flex; gap: 16px; align-items: flex-start; justify-content: space-between; padding-top: 22px; }
.of { color: var(--muted); margin-top: 4px; }
.of code { color: inherit; }
.kpis { display: grid; grid-template-columns: repeat(5, 1fr); gap: 1px; margin: 18px 0 0; padding: 1px;
  background: var(--rule); border-radius: 6px; overflow: hidden; }
.kpis div { background: var(--page); padding: 9px 12px; }
.kpis dt { color: var(--muted); font-size: 12px; }
.kpis dd { margin: 1px 0 0; font-size: 18px; font-weight: 600; white-space: nowrap; }
.kpis small { display: block; font-size: 11px; font-weight: 400; color: var(--muted); white-space: normal; line-height: 1.3; }
nav { position: sticky; top: 0; z-index: 5; background: var(--page); border-bottom: 1px solid var(--rule); margin-top: 16px; }
nav ul { max-width: 1240px; margin: 0 auto; padding: 0 20px; display: flex; gap: 18px; list-style: none; overflow-x: auto; }
nav a { display: block; padding: 9px 0; color: var(--muted); text-decoration: none; white-space: nowrap; }
nav a:hover, nav a[aria-current] { color: var(--text); }
nav a[aria-current] { box-shadow: inset 0 -2px var(--text); }
td a { color: inherit; }
footer { color: var(--muted); font-size: 12px; padding-top: 28px; padding-bottom: 40px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
html:not(.js) .scripted { display: none; }
.lost { color: var(--lost); }
.none { color: var(--muted); }
`;

const CHARTS = `
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 30px 34px; }
.charts > * { min-width: 0; }
.charts > .identity { align-self: start; }
.wide { grid-column: 1 / -1; }
figure { margin: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; }
.summary { flex-basis: 100%; color: var(--muted); font-size: 13px; }
.legend { display: flex; flex-wrap: wrap; gap: 0 14px; list-style: none; margin: 0 0 0 auto; padding: 0; font-size: 12px; color: var(--muted); }
.key { display: inline-block; width: 16px; height: 0; border-top: 2px solid var(--c); margin-right: 6px; vertical-align: middle; }
.key.dashed { border-top-style: dashed; }
.key.strong { border-top-width: 3px; }
.key.block, .key.dot { width: 9px; height: 9px; border: 0; background: var(--c); margin-bottom: 2px; }
.key.gain.dot { border-radius: 50%; }
.key.half { opacity: .55; } .key.outer { opacity: .2; } .key.inner { opacity: .42; }
.key.pin-key { width: 0; height: 0; border: 5px solid transparent; margin-right: 5px; }
.key.buy { border-bottom: 8px solid var(--text); border-top: 0; }
.key.sell { border-top: 8px solid var(--text); border-bottom: 0; }
.unit, .along { font-size: 11px; color: var(--muted); }
.unit { margin: 8px 0 8px; }
.along { text-align: center; margin-top: 4px; padding-left: 56px; }
.note { font-size: 12px; color: var(--muted); margin-top: 6px; }
.plot { position: relative; height: 220px; margin: 0 10px 26px 56px; touch-action: pan-y; cursor: crosshair; }
.low .plot { height: 170px; }
.high .plot { height: 320px; }
.high .plot.volume { height: 56px; margin: -4px 10px 8px 56px; cursor: default; }
.frame { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.area { overflow: hidden; }
.frame text { font-size: 11px; fill: var(--muted); }
.up { text-anchor: end; }
.down { text-anchor: middle; }
.rule { stroke: var(--rule); }
.zero, .tick { stroke: var(--edge); }
.tick { transform: translateY(4px); }
.line { fill: none; stroke: var(--c); stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.line.strong { stroke-width: 2; }
.line.dashed { stroke-dasharray: 5 4; stroke-linecap: butt; }
.line.limit { stroke-width: 1; } .line.trade { stroke-width: 1.5; stroke-dasharray: 1 3; }
.fill.shade { fill: var(--muted); fill-opacity: .1; }
.choice { position: absolute; inset: 0 auto 0 0; background: var(--s1); opacity: .15; pointer-events: none; }
.link { --c: var(--muted); stroke-width: 1; }
.fill { fill: var(--c); fill-opacity: .9; }
.soft { fill-opacity: .16; } .half { fill-opacity: .5; } .outer { fill-opacity: .16; } .inner { fill-opacity: .3; }
.solid { fill-opacity: 1; }
.quiet { --c: var(--muted); fill-opacity: .5; }
.wick { fill: none; stroke: var(--c); vector-effect: non-scaling-stroke; }
.dots { fill: none; stroke: var(--c); stroke-width: 6; stroke-opacity: .6; vector-effect: non-scaling-stroke; stroke-linecap: round; }
.dots.loss { stroke-linecap: square; stroke-width: 5; }
.pins use { fill: var(--text); stroke: var(--page); stroke-width: 1; paint-order: stroke; }
.event line { stroke: var(--muted); stroke-dasharray: 2 3; }
.event { overflow: visible; } .event[data-out] { display: none; } .event text { text-anchor: middle; }
.mark text { paint-order: stroke; stroke: var(--page); stroke-width: 3; }
.mark line { stroke: var(--loss); stroke-dasharray: 4 3; }
.cross { stroke: var(--muted); stroke-dasharray: 2 2; pointer-events: none; }
.spot { fill: var(--page); stroke: var(--text); stroke-width: 1.5; pointer-events: none; }
.ranges { display: flex; flex-wrap: wrap; gap: 5px; margin-top: 8px; font-size: 12px; }
.missing { border: 1px dashed var(--edge); border-radius: 6px; padding: 12px 14px; align-self: start; }
.tip { position: fixed; z-index: 10; max-width: min(340px, 90vw); background: var(--page); border: 1px solid var(--edge); border-radius: 5px;
  box-shadow: 0 3px 12px #0003; padding: 7px 10px; font-size: 12px; pointer-events: none; }
.tip[hidden] { display: none; }
.tip b { display: block; font-weight: 600; }
.tip dl { display: grid; grid-template-columns: auto auto; gap: 0 14px; margin: 2px 0 0; }
.tip dt { color: var(--muted); } .tip dd { margin: 0; text-align: right; white-space: pre-line; }
.tip dd.text { grid-column: 1 / -1; text-align: left; overflow-wrap: anywhere; }
details.numbers, details.events { font-size: 12px; color: var(--muted); margin-top: 4px; }
summary { cursor: pointer; width: fit-content; }
details .scroll { max-height: 320px; margin-top: 6px; }
`;

const TABLES = `
.table-block { margin-top: 26px; }
.charts > .table-block { margin-top: 0; }
.scroll { overflow: auto; margin-top: 8px; }
table { border-collapse: collapse; font-size: 13px; width: 100%; }
th, td { padding: 3px 9px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
thead th { font-weight: 500; color: var(--muted); border-bottom-color: var(--edge); vertical-align: bottom; position: sticky; top: 0; background: var(--page); }
thead th button { all: unset; cursor: pointer; }
thead th button:focus-visible { outline: 2px solid var(--s1); }
th[aria-sort=ascending] button::after { content: ' ↑'; } th[aria-sort=descending] button::after { content: ' ↓'; }
.text { text-align: left; }
td.text { max-width: 26em; overflow: hidden; text-overflow: ellipsis; }
tbody tr:hover { background: var(--panel); }
.heat td, .heat th { text-align: center; border: 1px solid var(--page); padding: 4px 5px; min-width: 46px; }
.heat th[scope=row], .heat .total { font-weight: 600; }
.pager { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-top: 8px; font-size: 12px; color: var(--muted); }
.pager label { display: flex; gap: 8px; align-items: center; }
.pager input { background: var(--page); border: 1px solid var(--edge); border-radius: 4px; padding: 2px 8px; width: 15em; max-width: 50vw; }
.metrics { columns: 3 340px; column-gap: 34px; }
.metrics table { break-inside: avoid; margin-bottom: 22px; }
.metrics caption, .identity caption { text-align: left; font-weight: 600; padding-bottom: 4px; }
.metrics th, .identity th { text-align: left; font-weight: 400; padding-left: 0; white-space: normal; }
.metrics th { width: 62%; } .metrics td { padding-right: 0; } .metrics td.none { white-space: normal; }
.metrics small { font-size: 11px; color: var(--muted); } .metrics td small { display: block; line-height: 1.3; }
[data-tip] { border-bottom: 1px dotted var(--edge); cursor: help; }
.identity th { color: var(--muted); width: 9em; vertical-align: top; }
.identity td { text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const NARROW = `
@media (max-width: 640px) {
  header, main, footer, nav ul { padding-left: 14px; padding-right: 14px; }
  .plot, .high .plot.volume { margin-left: 46px; margin-right: 6px; } .along { padding-left: 46px; }
  .high .plot { height: 250px; }
  .minor { display: none; }
  .legend { margin-left: 0; flex-basis: 100%; }
  .kpis { grid-template-columns: 1fr 1fr; } .kpis dd { font-size: 16px; }
  th, td { padding: 3px 7px; }
}
@media print { nav, .ranges, .pager, details.numbers, #theme { display: none; } figure, .table-block { break-inside: avoid; } }
`;

/** Styles of the page, in light and dark. */
export const STYLE = [
  `:root {${LIGHT}\n}\n@media (prefers-color-scheme: dark) { :root {${DARK}\n} }`,
  `:root[data-theme=light] {${LIGHT}\n}\n:root[data-theme=dark] {${DARK}\n}`,
  PAGE,
  STYLES.map((name) => `.${name} { --c: var(--${name}); }`).join('\n'),
  CHARTS,
  TABLES,
  ...SHADES.map(
    (part, index) =>
      `.g${index + 1} { background: color-mix(in srgb, var(--gain) ${part}%, var(--page)); }
.l${index + 1} { background: color-mix(in srgb, var(--loss) ${part}%, var(--page)); }`,
  ),
  NARROW,
].join('\n');
