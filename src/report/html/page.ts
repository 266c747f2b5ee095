import { counted } from '../../core/counted.ts';
import { createHash } from 'node:crypto';
import type { RunRecord } from '../runRecord.ts';
import { endedText, lotsText, setupLines, warmUpText } from '../setupText.ts';
import { monthlyTable, yearlyBars } from './calendarReturns.ts';
import { candleCharts } from './candles.ts';
import { distributionChart, fanChart } from './distribution.ts';
import { drawdownCharts, equityCharts } from './equity.ts';
import { exposureCharts } from './exposure.ts';
import { PIN_SHAPES } from '../../figures/candles.ts';
import { inGrid, missing } from '../../figures/figure.ts';
import { dayText } from '../../figures/format.ts';
import { identityTables, keyFigures, strategyTotals, symbolTotals } from './identity.ts';
import { dataBlock, markup, type Markup } from '../../figures/markup.ts';
import { metricTables } from './metricTables.ts';
import { rollingCharts } from './rolling.ts';
import { runViewOf, type RunView } from './runView.ts';
import { STYLE } from './style.ts';
import { tradeCharts } from './tradeCharts.ts';
import { tradeList } from './tradeList.ts';
import { costWaterfall } from './waterfall.ts';

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content policy: nothing is fetched, and no script runs but the page's own. */
const policyOf = (script: string): string =>
  `default-src 'none'; script-src ${sha256(script)}; style-src ${sha256(STYLE)}; base-uri 'none'; form-action 'none'`;

type Part = Readonly<{ id: string; title: string; content: Markup }>;

/**
 * The report of a run: one self-contained page.
 * @param script built from `script/main.ts`; without one the page can be read, but not enlarged, sorted and searched
 */
export function reportPage(record: RunRecord, script: string): string {
  const view = runViewOf(record);
  const parts = record.marks.length === 0 ? unmarkedParts(view) : partsOf(view);
  const { run } = record;
  const title = `${run.strategy} on ${run.symbols.join(', ')}`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: policyOf(script) }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: ${run.kind} report</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
${PIN_SHAPES}
<header>
<div class="top"><div><h1>${title}</h1><p class="of">${run.kind}, ${dayText(run.from)} to ${dayText(run.to)}: ${counted(run.sessions, view.mark)}, ${counted(run.bars, 'bar')} · run <code>${run.runId}</code></p>${setupOf(record)}</div><button type="button" id="theme" class="scripted">Theme: auto</button></div>
${keyFigures(record)}
</header>
<nav aria-label="Parts of the report"><ul>${parts.map(({ id, title: name }) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main>
${parts.map(({ id, title: name, content }) => markup`<section id="${id}"><h2>${name}</h2>\n${content}</section>\n`)}</main>
<footer>Times of trades are those of New York. ${run.kind === 'live' ? '' : 'Simulated fills are no promise of real ones. '}Drag over a chart to enlarge a part, then drag to move it; Ctrl and wheel, two fingers or + and − enlarge, a double click or 0 shows all; arrow keys move along a chart.</footer>
${dataBlock('data-page', { sessions: view.dates })}
<script>${{ markup: script }}</script>
</body>
</html>
`.markup;
}

/** Parameters, bars and fill model, missing warm-ups, and symbols that ended before the run did. */
function setupOf({ run, ended = [], warmUp = [] }: RunRecord): Markup[] {
  const { strategy, params, intervals, settings } = run;
  const lines = setupLines({ strategy, params, intervals, model: settings });
  const texts = lines.map(([label, text]) => `${label} ${text}`.trim());
  return [texts.join(' · '), ...warmUp.map((gap) => `warm-up ${warmUpText(gap)}`), ...ended.map(endedText)]
    .filter((text) => text !== '')
    .map((text) => markup`<p class="of">${text}</p>`);
}

const partsOf = (view: RunView): Part[] => [
  {
    id: 'performance',
    title: 'Performance',
    content: inGrid([...equityCharts(view), yearlyBars(view), ...drawdownCharts(view), monthlyTable(view)]),
  },
  { id: 'risk', title: 'Risk', content: inGrid([distributionChart(view), ...rollingCharts(view)]) },
  { id: 'positions', title: 'Positions', content: inGrid(exposureCharts(view)) },
  { id: 'prices', title: 'Prices and fills', content: inGrid(candlesOrNone(view)) },
  {
    id: 'trading',
    title: 'Trades',
    content: markup`${byLots(view)}${inGrid([...tradeCharts(view), costWaterfall(view)])}${tradeList(view)}`,
  },
  { id: 'simulation', title: 'Simulation', content: inGrid([fanChart(view)]) },
  ...factsOf(view),
];

/** Sentence that says that trades are lots. */
function byLots({ isByLots, record: { totals, metrics } }: RunView): Markup | null {
  if (!isByLots) return null;
  return markup`<p class="of">${lotsText({ ...metrics, trades: totals.trades })}</p>`;
}

const candlesOrNone = (view: RunView): Markup[] => {
  const charts = candleCharts(view);
  return charts.length > 0 ? charts : [missing('Candles', 'the record has none')];
};

function byStrategy(record: RunRecord): Part[] {
  const tables = [...strategyTotals(record), ...symbolTotals(record)];
  return tables.length === 0
    ? []
    : [
        {
          id: 'strategies',
          title: record.totals.symbols ? 'Strategies and stocks' : 'Strategies',
          content: inGrid(tables),
        },
      ];
}

const factsOf = ({ record, mark }: RunView): Part[] => [
  ...byStrategy(record),
  { id: 'metrics', title: 'Metrics', content: metricTables(record, mark) },
  { id: 'identity', title: 'Run', content: identityTables(record) },
];

const unmarkedParts = (view: RunView): Part[] => [
  { id: 'performance', title: 'Performance', content: missing('Charts', 'no session closed in this run') },
  ...factsOf(view),
];
