import { systemClock } from '../src/core/clock.ts';
import { setupOf, sharedBars, type TrialRecipe } from '../src/app/lab/trialRecipe.ts';
import { loadStrategy, type Realm } from '../src/app/strategies/loadStrategy.ts';
import { objectivesOf } from '../src/lab/search/objective.ts';
import type { ParamSet } from '../src/lab/search/space.ts';
import type { TrialSetup, TrialTask } from '../src/lab/trials/trial.ts';
import { d10, m5y, type BarSet } from './bars.ts';

/** Engine that runs a benchmark strategy: that of signals, or that of hooks. */
export type LabEngine = 'columnar' | 'kernel';

/** Cash at the start, and the share of the equity that is held: small, so that fees never consume it. */
export const [CASH, WEIGHT] = [1_000_000, 0.001];

const FILES = { columnar: 'strategies/sma-signals.ts', kernel: 'bench/strategies/bench-sma.ts' } as const;

/** The realm of this process, which other benchmarks share. */
export const REALM: Realm = { lock: () => undefined, print: () => undefined };

/** A study of the benchmark: five years of minutes, fees of 0.1 %, fills at the next open. */
export async function labStudy(
  engine: LabEngine,
  market: Partial<TrialRecipe['options']> = {},
): Promise<Readonly<{ recipe: TrialRecipe; setup: TrialSetup; set: BarSet }>> {
  const set = m5y();
  const { bundle, definition } = await loadStrategy(FILES[engine], process.cwd(), { ...REALM, kept: [] });
  const bars = sharedBars([{ symbol: 'X', interval: set.interval, ...set.columns }]);
  const weight = engine === 'columnar' ? { weight: WEIGHT } : {};
  const recipe: TrialRecipe = {
    options: { bars, fill: 'next-open', fees: 'bps:10', slippage: 'none', cash: String(CASH), ...market },
    exceptions: [],
    strategy: {
      id: definition.name,
      bundle,
      params: { symbol: 'X', interval: set.interval, ...weight },
      series: {},
    },
    objectives: objectivesOf('sharpe'),
    functions: {},
  };
  return { recipe, setup: await setupOf(recipe, systemClock, REALM), set };
}

const STOCKS = Array.from({ length: 10 }, (_, index) => `S${index}`);
const SESSIONS = 1_507;

/** A study of the strongest of ten stocks over six years of days, with the default fill. */
export async function daysStudy(market: Partial<TrialRecipe['options']> = {}): Promise<TrialRecipe> {
  const file = 'docs/examples/strongest.ts';
  const { bundle, definition } = await loadStrategy(file, process.cwd(), { ...REALM, kept: [] });
  const sets = STOCKS.map((symbol, index) => ({ symbol, ...d10(index, SESSIONS) }));
  const bars = sharedBars(sets.map(({ symbol, interval, columns }) => ({ symbol, interval, ...columns })));
  return {
    options: { bars, ...market },
    exceptions: [],
    strategy: { id: definition.name, bundle, params: { symbols: STOCKS }, series: {} },
    objectives: objectivesOf('sharpe'),
    functions: {},
  };
}

/** Trials of pairs of lengths over all bars. */
export const tasksOf = (pairs: readonly (readonly [fast: number, slow: number])[]): TrialTask[] =>
  pairs.map(([fast, slow]) => taskOf({ fast, slow }));

export const taskOf = (params: ParamSet): TrialTask => ({ params, span: { from: -Infinity, to: Infinity } });
