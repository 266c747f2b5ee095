import type { Mutant } from './mutant.ts';

/** Bugs that silently make the figures of a run wrong. */
export const figureMutants: readonly Mutant[] = [
  {
    name: 'written-down-stock-loses-its-profit',
    what: 'what a strategy had earned on stock that an operator has written down is shown as earned by nobody',
    edits: [
      {
        file: 'src/domain/account/acceptance.ts',
        find: 'quantity: -amount, value: cash(-value) });',
        replace: 'quantity: -amount, value: cash(0n * value) });',
      },
    ],
    caughtBy: { tests: ['test/engine/state/exposureEarnings.test.ts'] },
  },
  {
    name: 'turnover-by-session',
    what: 'the turnover of a fund is the lesser of bought and sold of a session, and 0 for most',
    edits: [
      {
        file: 'src/statistics/exposure.ts',
        find: 'const name = date.slice(0, 4);',
        replace: 'const name = date;',
      },
    ],
    caughtBy: { tests: ['test/statistics/traps.test.ts'] },
  },
  {
    name: 'decision-at-the-order',
    what: 'the price at a decision is the one of when its order was planned, after a night',
    edits: [
      {
        file: 'src/backtest/recorder.ts',
        find: 'take({ intent: { id, symbol, at } }:',
        replace: 'take({ order: { intentId: id, terms: { symbol }, plannedAt: at } }:',
      },
      {
        file: 'src/backtest/recorder.ts',
        find: "if (fact.kind === 'intentCreated') this.#decisions",
        replace: "if (fact.kind === 'planned') this.#decisions",
      },
    ],
    caughtBy: { tests: ['test/backtest/tradesMeasuring.test.ts', 'test/backtest/runBacktestWeekly.test.ts'] },
  },
  {
    name: 'decision-before-a-split',
    what: 'a price at a decision from before a split is held against fills of after it',
    edits: [
      {
        file: 'src/backtest/trades.ts',
        find: '    this.#decisions.split(symbol, per);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/backtest/actions.test.ts'] },
  },
  {
    name: 'dividend-by-later-split',
    what: 'a dividend of a file is multiplied by a split that came after the file was written',
    edits: [
      {
        file: 'src/market/foreign/actions.ts',
        find: 'newRate !== null && (asOf === null || exDate <= asOf)',
        replace: 'newRate !== null && exDate !== asOf',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/data/importForeign.test.ts'] },
  },
  {
    name: 'payment-silences-split',
    what: 'any corporate action of a day hides that a split of it is missing',
    edits: [
      {
        file: 'src/market/inspectBars.ts',
        find: 'if (sizeOf(left) <= JUMP) return [];',
        replace: 'if (known.length > 0) return [];',
      },
    ],
    caughtBy: { tests: ['test/market/inspectBars.test.ts'] },
  },
  {
    name: 'quotes-at-night',
    what: 'strategies hear quotes in phases that they do not ask for, and a trailing stop fires at night',
    edits: [
      {
        file: 'src/engine/strategy/strategyManager.ts',
        find: 'return phase !== null && phases.has(phase) && this',
        replace: 'return phase !== null && this',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/quotePhases.test.ts'] },
  },
  {
    name: 'quotes-of-the-night-at-the-open',
    what: 'what the venue still lists of the night counts as the first price of the session',
    edits: [
      {
        file: 'src/engine/strategy/quoteNews.ts',
        find: 'if (at >= now) return true;',
        replace: 'if (at <= now) return true;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/quotePhases.test.ts'] },
  },
  {
    name: 'open-as-the-night-left-it',
    what: 'the first price of a session is told to nobody when the night has brought it already',
    edits: [
      {
        file: 'src/engine/strategy/quoteNews.ts',
        find: 'new Set([...changed, ...added]',
        replace: 'new Set([...changed]',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/quotePhases.test.ts'] },
  },
  {
    name: 'old-journal-without-its-nights',
    what: 'a journal of 0.4.0, whose strategies heard all quotes, is replayed without those of the night',
    edits: [
      {
        file: 'src/engine/strategy/strategyManager.ts',
        find: 'if (!phases || phase === undefined) return phases !== undefined;',
        replace: 'if (!phases || phase === undefined) return false;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/quotePhases.test.ts'] },
  },
  {
    name: 'deposit-as-profit',
    what: 'the record of a live run counts a deposit as profit of its day',
    edits: [
      {
        file: 'src/report/live/liveRecord.ts',
        find: 'const flow = own.capital - before;',
        replace: 'const flow = 0n * (own.capital - before);',
      },
    ],
    caughtBy: { tests: ['test/report/live/liveRecord.test.ts'] },
  },
  {
    name: 'undone-trade-recorded',
    what: 'the record of a live run keeps a trade that the chain has undone',
    edits: [{ file: 'src/report/live/liveHistory.ts', find: 'this.#steps.splice(place, 1);', replace: '' }],
    caughtBy: { tests: ['test/report/live/liveRecord.test.ts'] },
  },
  {
    name: 'record-price-after-end-missed',
    what: 'a history that is read on does not see the price that came right after its end',
    edits: [
      {
        file: 'src/report/live/pastPrices.ts',
        find: 'if (line.seq < oldest) return;',
        replace: 'if (line.seq <= oldest) return;',
      },
    ],
    caughtBy: { tests: ['test/report/live/growing.test.ts'] },
  },
  {
    name: 'plot-waits-for-ever',
    what: 'the last value that a strategy plots in a minute is not taken when the minute is over',
    edits: [
      {
        file: 'src/engine/strategy/plotBuffer.ts',
        find: 'minuteOf(now) === this.#taken',
        replace: 'minuteOf(now) >= this.#taken',
      },
    ],
    caughtBy: { tests: ['test/engine/strategy/plots.test.ts'] },
  },
  {
    name: 'record-price-before-split',
    what: 'the record of a live run values shares of after a split at the price of before it',
    edits: [
      {
        file: 'src/report/live/pastPrices.ts',
        find: 'asPrice(rescalePrice(price, split))',
        replace: 'asPrice(price)',
      },
    ],
    caughtBy: { tests: ['test/report/live/liveRecord.test.ts'] },
  },
  {
    name: 'fills-matched-over-hours',
    what: 'a comparison takes fills for the same that were decided hours apart',
    edits: [
      {
        file: 'src/report/live/execution.ts',
        find: '<= APART_MAX',
        replace: '<= 60 * APART_MAX',
      },
    ],
    caughtBy: { tests: ['test/report/live/execution.test.ts'] },
  },
  {
    name: 'lots-last-first',
    what: 'trades by lots take the latest lot first',
    edits: [
      {
        file: 'src/statistics/lotTrades.ts',
        find: "if (fill.side === 'buy') lots.push(",
        replace: "if (fill.side === 'buy') lots.unshift(",
      },
    ],
    caughtBy: { tests: ['test/statistics/lotTrades.test.ts'] },
  },
  {
    name: 'lots-cost-kept',
    what: 'what is left of a lot keeps the cost of what was sold of it',
    edits: [{ file: 'src/statistics/lotTrades.ts', find: 'lot.cost -= cost;', replace: '' }],
    caughtBy: { tests: ['test/statistics/lotTrades.test.ts', 'test/report/live/lotTrades.test.ts'] },
  },
  {
    name: 'lots-beside-enough-round-trips',
    what: 'metrics of trades are of lots although enough round trips have closed',
    edits: [
      {
        file: 'src/statistics/lots.ts',
        find: 'trades.length < TRADES_MIN && closed',
        replace: 'trades.length <= TRADES_MIN && closed',
      },
    ],
    caughtBy: { tests: ['test/statistics/lotTrades.test.ts'] },
  },
  {
    name: 'like-without-fees-taken',
    what: 'a backtest of the days of a run leaves out fees that settlements took above the stated ones',
    edits: [
      {
        file: 'src/app/backtest/likeRun.ts',
        find: "if (fact.kind === 'feeTaken') schedule = raised(schedule, fact);",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/app/backtest/likeFees.test.ts'] },
  },
  {
    name: 'returns-over-deposits',
    what: 'a deposit within a session counts at its close, so that what it has earned is a return of the money before it',
    edits: [
      {
        file: 'src/statistics/sample.ts',
        find: 'if (base > 0) growth *= before / base;',
        replace: 'continue;',
      },
    ],
    caughtBy: { tests: ['test/report/live/liveRecord.test.ts'] },
  },
  {
    name: 'enlarged-at-the-old-scale',
    what: 'an enlarged part is drawn with the points of all others',
    edits: [
      {
        file: 'src/figures/drawing.ts',
        find: 'while (end > first + 1 && middleOf(data, end - 2) > to) end--;',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/figures/drawing.test.ts'] },
  },
];
