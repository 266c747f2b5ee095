import { join, relative, resolve } from 'node:path';
import { newYorkDate } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { INTERVAL_MS, type Interval } from '../../domain/bar.ts';
import type { StrategySetup } from '../../engine/strategy/strategyInstance.ts';
import { symbolsOf } from '../../engine/strategy/view.ts';
import { PACKAGE_FOLDER } from '../folders.ts';
import { shellWord } from '../wire.ts';

export type FirstRun = Readonly<{
  cwd: string;
  /** Path of the config, as the command line would name it. */
  configFile: string;
  stateDir: string;
  /** First instant of the run. */
  start: EpochMs;
  strategies: readonly Pick<StrategySetup, 'needs'>[];
}>;

/** Days of bars that are made up for the backtest. */
const DAYS = 120;
const DAY_MS = 86_400_000;
const EXAMPLE = 'strategies/sma-cross.ts';
const DEFAULT_INTERVAL: Interval = '5m';

/** Commands for what to do after a first run on the emulator: look at its journal, draw its strategies, write another. */
export function nextSteps({ cwd, configFile, stateDir, start, strategies }: FirstRun): string {
  const isClone = resolve(PACKAGE_FOLDER) === resolve(cwd);
  const drover = isClone ? 'node dist/bin/main.js' : 'npx drover';
  const needs = strategies.map((strategy) => strategy.needs);
  const symbols = [...new Set(needs.flatMap((own) => [...symbolsOf(own)]))].sort();
  const interval = shortest(needs.flatMap(({ bars = [] }) => bars.map((bar) => bar.interval)));
  const [symbol = 'AAPL'] = symbols;
  const span = `--from ${newYorkDate(epochMs(start - DAYS * DAY_MS))} --to ${newYorkDate(epochMs(start + DAY_MS))}`;
  const params = JSON.stringify({ symbol, interval });
  const example = shellWord(relative(cwd, join(PACKAGE_FOLDER, EXAMPLE)));
  return [
    'next: look at what was decided and sent',
    `  ${drover} journal show --state ${shellWord(stateDir)}`,
    'next: draw the same strategies over months of made-up prices',
    `  ${drover} data generate ${symbols.join(' ')} --interval ${interval} ${span} --data bars`,
    `  ${drover} backtest ${shellWord(configFile)} --data bars --report run.html`,
    'next: write your own, from a copy of one that comes along',
    `  cp ${example} my-strategy.ts`,
    `  ${drover} backtest --strategy ./my-strategy.ts --params '${params}' --data bars --report mine.html`,
  ].join('\n');
}

function shortest(intervals: readonly Interval[]): Interval {
  const [first] = [...intervals].sort((a, b) => INTERVAL_MS[a] - INTERVAL_MS[b]);
  return first ?? DEFAULT_INTERVAL;
}
