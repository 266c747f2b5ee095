import { actionsOf } from '../../backtest/actions.ts';
import { cashOf, modelOf, type BacktestOptions } from '../../backtest/options.ts';
import { rulesOf, strategiesOf } from '../../backtest/setup.ts';
import { tradingCalendar } from '../../calendar/index.ts';
import { formatDecimal } from '../../core/amount.ts';
import { hashHex } from '../../core/random.ts';
import { VERSION } from '../../core/version.ts';
import type { Limits } from '../../domain/limits.ts';
import { hashColumns } from '../../market/columnHash.ts';

type Said = readonly (readonly [name: string, value: string])[];

/** What a run is made of, beside the market's model: code, data and actions by their hashes, and what bounds the strategies. */
export function inputsOf(options: BacktestOptions): Record<string, string> {
  const { limits, ownLimits, collarBps } = rulesOf(options, modelOf(options));
  return Object.fromEntries([
    ['engine', VERSION],
    ...strategiesOf(options, cashOf(options)).flatMap(({ id, codeHash, capital }): Said => [
      [`code ${id}`, digest(codeHash)],
      [`capital ${id}`, formatDecimal(capital)],
    ]),
    ...limitsOf('limits', limits),
    ...[...ownLimits].flatMap(([id, own]) => limitsOf(`limits ${id}`, own)),
    ['collarBps', String(collarBps)],
    ...options.bars.map(({ symbol, interval, ...columns }): Said[number] => [
      `data ${symbol} ${interval}`,
      hashColumns(columns),
    ]),
    ['actions', actionsText(options)],
  ]);
}

const limitsOf = (name: string, limits: Limits): Said =>
  Object.entries(limits)
    .filter(([, bound]) => bound !== undefined)
    .map(([limit, bound]) => [
      `${name}.${limit}`,
      typeof bound === 'bigint' ? formatDecimal(bound) : String(bound),
    ]);

/** Those that fall within the run: how many, and what they are. */
function actionsText(options: BacktestOptions): string {
  const actions = actionsOf(options, options.calendar ?? tradingCalendar);
  if (actions.length === 0) return 'none';
  const text = JSON.stringify(actions, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${actions.length}, ${digest(text)}`;
}

const digest = (text: string): string => hashHex(text).slice(2, 34);
