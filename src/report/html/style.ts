import { HEAT_SHADES } from '../../figures/heat.ts';
import { DARK_COLOURS, FIGURE_STYLE, LIGHT_COLOURS } from '../../figures/style.ts';

const LIGHT = `
  color-scheme: light;
  --page: #fff; --panel: #f7f8f9; --text: #1b1f24; --muted: #5a6370; --rule: #e4e7ea; --edge: #c9ced4;${LIGHT_COLOURS}`;

const DARK = `
  color-scheme: dark;
  --page: #14171a; --panel: #1c2024; --text: #e4e7ea; --muted: #9aa3ad; --rule: #2a2f35; --edge: #414850;${DARK_COLOURS}`;

/** Share of the colour in the palest and in the fullest shade, in percent. */
const [PALE, FULL] = [7, 48];

const heatShade = (step: number): string => {
  const part = Math.round(PALE + ((FULL - PALE) * (step - 1)) / (HEAT_SHADES - 1));
  return ['g', 'l']
    .map((sign) => {
      const colour = sign === 'g' ? 'gain' : 'loss';
      return `.${sign}${step} { background: color-mix(in srgb, var(--${colour}) ${part}%, var(--page)); }`;
    })
    .join('\n');
};

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
.top div { min-width: 0; }
.of { color: var(--muted); margin-top: 4px; overflow-wrap: anywhere; }
.of code { color: inherit; }
.setup { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 8px 0 0; font-size: 13px; color: var(--muted); }
.setup dd { margin: 0; overflow-wrap: anywhere; }
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

const TABLES = `
.table-block { margin-top: 26px; }
.charts > .table-block { margin-top: 0; }
.scroll { overflow: auto; margin-top: 8px; }
.scroll[data-more~=right] { mask-image: linear-gradient(to left, #0003, #000 32px); }
.scroll[data-more~=left] { mask-image: linear-gradient(to right, #0003, #000 32px); }
.scroll[data-more~=left][data-more~=right] { mask-image: linear-gradient(to right, #0003, #000 32px calc(100% - 32px), #0003); }
table { border-collapse: collapse; font-size: 13px; width: 100%; }
th, td { padding: 3px 9px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
thead th, thead td { border-bottom-color: var(--edge); }
thead th { font-weight: 500; color: var(--muted); vertical-align: bottom; position: sticky; top: 0; background: var(--page); }
thead th button { all: unset; cursor: pointer; }
thead th button:focus-visible { outline: 2px solid var(--s1); }
th[aria-sort=ascending] button::after { content: ' ↑'; } th[aria-sort=descending] button::after { content: ' ↓'; }
.list { font-size: 12px; } .list th, .list td { padding: 3px 5px; }
.list tbody tr:has([data-trade]) { cursor: pointer; }
td.reason { white-space: normal; overflow-wrap: break-word; min-width: 9em; line-height: 1.3; }
tbody tr:hover { background: var(--panel); }
.pager { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-top: 8px; font-size: 12px; color: var(--muted); }
.pager label { display: flex; gap: 8px; align-items: center; }
.pager input { background: var(--page); border: 1px solid var(--edge); border-radius: 4px; padding: 2px 8px; width: 15em; max-width: 50vw; }
.verdict { border-left: 4px solid var(--muted); padding: 2px 0 2px 14px; margin: 14px 0; }
.verdict.yes { border-color: var(--gain); } .verdict.no { border-color: var(--loss); }
.verdict h2 { margin: 0; font-size: 15px; } .verdict .answer { font-size: 18px; font-weight: 600; margin: 4px 0; } .verdict dd { color: var(--text); }
.metrics .identity { break-inside: auto; }
.identity th { color: var(--muted); width: 9em; vertical-align: top; }
.identity td { text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** Styles of tables of months, metrics and drawdowns, for reports and the web page. */
export const TABLES_STYLE: string = [
  `
.text, .texts-1 :is(th, td):first-child, .texts-2 :is(th, td):nth-child(-n + 2) { text-align: left; }
.heat td, .heat th { text-align: center; border: 1px solid var(--page); padding: 4px 5px; min-width: 46px; }
.heat-scale { display: flex; gap: 8px; align-items: center; justify-content: flex-end; font-size: 12px; color: var(--muted); margin-top: 6px; }
.heat-scale span { display: flex; } .heat-scale i { width: 12px; height: 12px; }
.heat th[scope=row], .heat .total { font-weight: 600; }
.heat .chosen { outline: 2px solid var(--text); outline-offset: -3px; font-weight: 600; }
.metrics { columns: 3 340px; column-gap: 34px; }
.metrics table { break-inside: avoid; margin-bottom: 22px; }
.metrics caption { text-align: left; font-weight: 600; padding-bottom: 4px; }
.metrics th { text-align: left; font-weight: 400; padding-left: 0; white-space: normal; }
.metrics td { padding-right: 0; } .metrics td.none { white-space: normal; min-width: 10em; }
.metrics thead th { position: static; text-align: right; padding: 0 0 3px 12px; width: 6.5em; }
.metrics .beside { color: var(--muted); } .metrics .main > * { font-weight: 650; }
.of + .metrics { margin-top: 14px; }
.metrics small { font-size: 11px; color: var(--muted); } .metrics td small { display: block; line-height: 1.3; }
[data-tip] { border-bottom: 1px dotted var(--edge); cursor: help; }
`,
  ...Array.from({ length: HEAT_SHADES }, (_, index) => heatShade(index + 1)),
].join('\n');

const NARROW = `
@media (max-width: 640px) {
  header, main, footer, nav ul { padding-left: 14px; padding-right: 14px; }
  .kpis { grid-template-columns: 1fr 1fr; } .kpis dd { font-size: 16px; }
  th, td { padding: 3px 7px; }
}
@media print { nav, .ranges, .pager, details.numbers, #theme { display: none; } figure, .table-block { break-inside: avoid; } }
`;

/** Styles of the page, light and dark. */
export const STYLE = [
  `:root {${LIGHT}\n}\n@media (prefers-color-scheme: dark) { :root {${DARK}\n} }`,
  `:root[data-theme=light] {${LIGHT}\n}\n:root[data-theme=dark] {${DARK}\n}`,
  PAGE,
  FIGURE_STYLE,
  TABLES,
  TABLES_STYLE,
  NARROW,
].join('\n');
