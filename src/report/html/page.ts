import { counted } from '../../core/counted.ts';
import { createHash } from 'node:crypto';
import type { RunRecord } from '../runRecord.ts';
import { endedText, lotsText, warmUpText } from '../remarks.ts';
import { setupLines, type SetupLine } from '../setupText.ts';
import { monthlyTable, yearlyBars } from './calendarReturns.ts';
import { candleCharts } from './candles.ts';
import { distributionChart, fanChart } from './distribution.ts';
import { drawdownCharts, equityCharts } from './equity.ts';
import { exposureCharts } from './exposure.ts';
import { PIN_SHAPES } from '../../figures/candles.ts';
import { inGrid, missing, type Missing } from '../../figures/figure.ts';
import { dayText } from '../../figures/format.ts';
import { identityTables } from './identity.ts';
import { dataBlock, markup, type Markup } from '../../figures/markup.ts';
import { keyFigureBoxes } from './keyFigures.ts';
import { metricTables } from './metricTables.ts';
import { rollingCharts } from './rolling.ts';
import { runViewOf, type RunView } from './runView.ts';
import { strategyTotals, symbolTotals } from './strategies.ts';
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
  const title = titleOf(run);
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
<div class="top"><div><h1>${title}</h1><p class="of">${run.kind}, ${dayText(run.from)} to ${dayText(run.to)}: ${counted(run.sessions, view.mark)}, ${counted(run.bars, 'bar')} · run <code>${run.runId}</code></p></div><button type="button" id="theme" class="scripted">Theme: auto</button></div>
${setupOf(record)}
${keyFigureBoxes(view)}
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

/** Largest numbers of strategies and of stocks that a title names. */
const NAMED = { strategies: 3, stocks: 4 };

function titleOf({ strategy, symbols }: RunRecord['run']): string {
  const count = strategy.split(', ').length;
  const strategies = count > NAMED.strategies ? counted(count, 'strategy', 'strategies') : strategy;
  const isLong = symbols.length > NAMED.stocks;
  return `${strategies} on ${isLong ? counted(symbols.length, 'stock') : symbols.join(', ')}`;
}

/** Parameters, bars and fill model, missing warm-ups, and symbols that ended before the run did. */
function setupOf({ run, ended = [], warmUp = [] }: RunRecord): Markup | null {
  const { strategy, params, intervals, settings } = run;
  const lines: SetupLine[] = [
    ...setupLines({ strategy, params, intervals, model: settings }),
    ...warmUp.map((gap): SetupLine => ['warm-up', warmUpText(gap)]),
    ...ended.map((each): SetupLine => ['ended', endedText(each)]),
  ];
  return lines.length === 0
    ? null
    : markup`<dl class="setup">${lines.map(([label, text]) => markup`<dt>${label}</dt><dd>${text}</dd>`)}</dl>`;
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

const candlesOrNone = (view: RunView): (Markup | Missing)[] => {
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

const factsOf = (view: RunView): Part[] => [
  ...byStrategy(view.record),
  { id: 'metrics', title: 'Metrics', content: metricTables(view) },
  { id: 'identity', title: 'Run', content: identityTables(view.record) },
];

const unmarkedParts = (view: RunView): Part[] => [
  {
    id: 'performance',
    title: 'Performance',
    content: inGrid([missing('Charts', 'no session closed in this run')]),
  },
  ...factsOf(view),
];
