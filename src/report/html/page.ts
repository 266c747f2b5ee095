import { counted } from '../../core/counted.ts';
import type { RunRecord } from '../runRecord.ts';
import { endedText, GENERATED, lotsText, warmUpText } from '../remarks.ts';
import { setupLines, type SetupLine } from '../setupText.ts';
import { monthlyTable, yearlyBars } from './calendarReturns.ts';
import { candleCharts } from './prices/candles.ts';
import { documentOf, type Part } from './document.ts';
import { distributionChart, fanChart } from './distribution.ts';
import { drawdownCharts, equityChart } from './equity.ts';
import { exposureCharts } from './exposure.ts';
import { inGrid, missing, type Missing } from '../../figures/figure.ts';
import { dayText } from '../../figures/format.ts';
import { identityTables } from './identity.ts';
import { markup, type Markup } from '../../figures/markup.ts';
import { keyFigureBoxes } from './keyFigures.ts';
import { metricTables } from './metricTables.ts';
import { rollingCharts } from './rolling.ts';
import { runViewOf, type RunView } from './runView.ts';
import { phaseTotals, strategyProfits, strategyTotals, symbolTotals } from './strategies.ts';
import { tradeCharts } from './tradeCharts.ts';
import { tradeList } from './tradeList.ts';
import { costWaterfall } from './waterfall.ts';

/**
 * Report of a run: one self-contained page.
 * @param script built from `script/main.ts`; without it the page can be read, but not zoomed, sorted or searched
 */
export function reportPage(record: RunRecord, script: string): string {
  const view = runViewOf(record);
  const parts = record.marks.length === 0 ? unmarkedParts(view) : partsOf(view);
  const { run } = record;
  const title = titleOf(run);
  const document = {
    name: `${title}: ${run.kind} report`,
    title,
    of: markup`${run.kind}, ${dayText(run.from)} to ${dayText(run.to)}: ${counted(run.sessions, view.mark)}, ${counted(run.bars, 'bar')} · run <code>${run.runId}</code>`,
    top: markup`${generatedNote(run.generated ?? run.kind === 'emulator')}${setupOf(record)}\n${keyFigureBoxes(view)}`,
    parts,
    footer: `Times of trades are those of New York.${run.kind === 'live' ? '' : ' Simulated fills do not guarantee real ones.'}`,
    dates: view.dates,
  };
  return documentOf(document, script);
}

/** Note at the top that the prices are generated; null if they are not. */
export const generatedNote = (isGenerated: boolean): Markup | null =>
  isGenerated ? markup`<p class="of"><strong>${GENERATED}</strong></p>\n` : null;

/** Maximum numbers of strategies and of stocks named in a title. */
const NAMED = { strategies: 3, stocks: 4 };

function titleOf({ strategy, symbols }: RunRecord['run']): string {
  const count = strategy.split(', ').length;
  const strategies = count > NAMED.strategies ? counted(count, 'strategy', 'strategies') : strategy;
  const isLong = symbols.length > NAMED.stocks;
  return `${strategies} on ${isLong ? counted(symbols.length, 'stock') : symbols.join(', ')}`;
}

/** Parameters, bars and fill model, missing warm-up, and symbols that end before the run. */
function setupOf({ run, ended = [], warmUp = [], hints = [] }: RunRecord): Markup | null {
  const { strategy, params, intervals, settings } = run;
  const lines: SetupLine[] = [
    ...setupLines({ strategy, params, intervals, model: settings }),
    ...warmUp.map((gap): SetupLine => ['warm-up', warmUpText(gap)]),
    ...ended.map((each): SetupLine => ['ended', endedText(each)]),
    ...hints.map((text): SetupLine => ['hint', text]),
  ];
  return lines.length === 0
    ? null
    : markup`<dl class="setup">${lines.map(([label, text]) => markup`<dt>${label}</dt><dd>${text}</dd>`)}</dl>`;
}

const partsOf = (view: RunView): Part[] => [
  {
    id: 'performance',
    title: 'Performance',
    content: inGrid([equityChart(view), yearlyBars(view), ...drawdownCharts(view), monthlyTable(view)]),
  },
  ...byStrategy(view),
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

/** Note that the trade figures are based on lots; null if they are not. */
function byLots({ isByLots, record: { totals, metrics } }: RunView): Markup | null {
  if (!isByLots) return null;
  return markup`<p class="of">${lotsText({ ...metrics, trades: totals.trades })}</p>`;
}

const candlesOrNone = (view: RunView): (Markup | Missing)[] => {
  const charts = candleCharts(view);
  return charts.length > 0 ? charts : [missing('Candles', 'the record has none')];
};

function byStrategy(view: RunView): Part[] {
  const { record } = view;
  const tables = [
    ...strategyProfits(view),
    ...strategyTotals(record),
    ...symbolTotals(record),
    ...phaseTotals(record),
  ];
  return tables.length === 0
    ? []
    : [
        {
          id: 'strategies',
          title: totalsTitle(record.totals),
          content: inGrid(tables),
        },
      ];
}

const totalsTitle = ({ symbols, strategies = [] }: RunRecord['totals']): string =>
  symbols ? 'Strategies and stocks' : strategies.length > 1 ? 'Strategies' : 'Phases';

const factsOf = (view: RunView): Part[] => [
  { id: 'metrics', title: 'Metrics', content: metricTables(view) },
  { id: 'identity', title: 'Run', content: identityTables(view.record) },
];

const unmarkedParts = (view: RunView): Part[] => [
  {
    id: 'performance',
    title: 'Performance',
    content: inGrid([missing('Charts', 'no session closed in this run')]),
  },
  ...byStrategy(view),
  ...factsOf(view),
];
