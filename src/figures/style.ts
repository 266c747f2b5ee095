/** Colours of figures that everyone can distinguish, for a light and for a dark background. */
export const LIGHT_COLOURS = `
  --s1: #0072b2; --s2: #b86e00; --s3: #008f68; --s4: #b8578f; --s5: #6a51a3; --s6: #3a9bd1; --s7: #8c6d31; --s8: #8a929c;
  --held: #737c87; --gain: #0072b2; --loss: #d55e00; --lost: #b34a00;`;
export const DARK_COLOURS = `
  --s1: #56b4e9; --s2: #f0b429; --s3: #2fc79b; --s4: #e08fc0; --s5: #a997e0; --s6: #8fd0f5; --s7: #cbb06a; --s8: #8a929c;
  --held: #a0a8b2; --gain: #56b4e9; --loss: #ff8b4d; --lost: #ff8b4d;`;

/** Styles of lines, areas and marks, by colour. */
const MARKS = ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8', 'held', 'gain', 'loss'];

const CHARTS = `
.charts { display: flex; flex-wrap: wrap; gap: 30px 34px; }
.charts > * { flex: 1 1 min(100%, 440px); min-width: 0; }
.charts > .identity { align-self: start; }
.charts > .wide { flex-basis: 100%; }
figure { margin: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; }
.summary { flex-basis: 100%; color: var(--muted); font-size: 13px; }
.legend { display: flex; flex-wrap: wrap; gap: 0 14px; list-style: none; margin: 0 0 0 auto; padding: 0; font-size: 12px; color: var(--muted); }
.key { display: inline-block; width: 16px; height: 0; border-top: 2px solid var(--c); margin-right: 6px; vertical-align: middle; }
.key.dashed { border-top-style: dashed; }
.key.strong { border-top-width: 3px; }
.key.block, .key.dot { width: 9px; height: 9px; border: 0; background: var(--c); margin-bottom: 2px; }
.key.gain.dot { border-radius: 50%; }
.key.shade { opacity: .25; } .key.half { opacity: .55; } .key.outer { opacity: .2; } .key.inner { opacity: .42; }
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
.area { overflow: hidden; } .points .area { overflow: visible; }
.frame text { font-size: 11px; fill: var(--muted); }
.up { text-anchor: end; }
.after { text-anchor: start; }
.down { text-anchor: middle; }
.rule { stroke: var(--rule); }
.zero, .tick { stroke: var(--edge); }
.tick { transform: translateY(4px); }
.line { fill: none; stroke: var(--c); stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.line.strong { stroke-width: 2; }
.line.dashed { stroke-dasharray: 5 4; stroke-linecap: butt; }
.line.limit, .line.faint { stroke-width: 1; } .line.stop { stroke-width: 1; stroke-dasharray: 7 3 1 3; }
.line.trade { stroke-width: 1.5; stroke-dasharray: 1 3; }
.line.chosen { stroke-width: 3; stroke-dasharray: none; }
.line.target:not(:target) { stroke: none; } .line.target { --c: var(--text); stroke-width: 3; scroll-margin-top: 24rem; }
.fill.shade { fill-opacity: .1; } .fill.shade.quiet { fill-opacity: .07; }
.choice { position: absolute; inset: 0 auto 0 0; background: var(--s1); opacity: .15; pointer-events: none; }
.link { --c: var(--muted); stroke-width: 1; }
.fill { fill: var(--c); fill-opacity: .9; }
.soft { fill-opacity: .16; } .half { fill-opacity: .5; } .outer { fill-opacity: .16; } .inner { fill-opacity: .3; }
.solid { fill-opacity: 1; }
.quiet { --c: var(--muted); fill-opacity: .5; } .faint { --c: var(--edge); }
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
.missing { border: 1px dashed var(--edge); border-radius: 6px; padding: 10px 14px; font-size: 13px; color: var(--muted); }
.missing ul { margin: 4px 0 0; padding-left: 18px; } .missing b { font-weight: 500; }
.charts + .missing { margin-top: 30px; }
.tip { position: fixed; z-index: 10; max-width: min(340px, 90vw); background: var(--page); border: 1px solid var(--edge); border-radius: 5px;
  box-shadow: 0 3px 12px #0003; padding: 7px 10px; font-size: 12px; pointer-events: none; }
.tip[hidden] { display: none; }
.tip b { display: block; font-weight: 600; }
.tip dl { display: grid; grid-template-columns: auto auto; gap: 0 14px; margin: 2px 0 0; }
.tip dt { color: var(--muted); } .tip dd { margin: 0; text-align: right; white-space: pre-line; }
.tip dd.text { grid-column: 1 / -1; text-align: left; overflow-wrap: anywhere; }
.rows { border-collapse: collapse; table-layout: fixed; width: 100%; margin-top: 8px; font-size: 13px; }
.rows th, .rows td { padding: 3px 0 3px 10px; text-align: right; white-space: nowrap; font-weight: 400; border-bottom: 1px solid var(--rule); overflow: hidden; text-overflow: ellipsis; }
.rows th:first-child { width: 36%; padding-left: 0; text-align: left; }
.rows thead th { position: static; width: 4.5em; color: var(--muted); } .rows thead th:nth-child(3) { width: 8em; }
.rows svg { display: block; width: 100%; height: 16px; }
details.numbers, details.events { font-size: 12px; color: var(--muted); margin-top: 4px; overflow-wrap: anywhere; }
summary { cursor: pointer; width: fit-content; }
details .scroll { max-height: 320px; margin-top: 6px; }
@media (max-width: 640px) {
  .plot, .high .plot.volume { margin-left: 46px; margin-right: 6px; } .along { padding-left: 46px; }
  .high .plot { height: 250px; }
  .minor { display: none; }
  .rows { font-size: 12px; } .rows th, .rows td { padding-left: 6px; }
  .rows thead th { width: 4.2em; } .rows thead th:nth-child(3) { width: 7em; }
  .legend { margin-left: 0; flex-basis: 100%; }
}
`;

/** Style of figures on a page that has defined the colours. */
export const FIGURE_STYLE: string = [
  MARKS.map((name) => `.${name} { --c: var(--${name}); }`).join('\n'),
  CHARTS,
].join('\n');
