import { cashOf, modelOf, type BacktestBars } from '../../backtest/options.ts';
import { contentHash } from '../../backtest/preparedBars.ts';
import { sourceOf } from '../../backtest/setup.ts';
import type { Session } from '../../calendar/index.ts';
import { formatDecimal } from '../../core/amount.ts';
import { hashHex } from '../../core/random.ts';
import { VERSION } from '../../core/version.ts';
import type { OptimiseOptions } from '../optimise.ts';
import type { StudyIdentity } from './studyFile.ts';

const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? formatDecimal(part) : part));

const digest = (value: unknown): string => hashHex(jsonOf(value)).slice(2, 18);

/** Hash of an identity, 32 hex digits: equal identities are the same study. */
export const identityHash = (identity: StudyIdentity): string =>
  hashHex(JSON.stringify(identity)).slice(2, 34);

/**
 * Everything that determines the trials of a study: a different identity is a different study. The number of trials is
 * not included, because more of them extend a study.
 * @param constraint text of the condition on parameters
 * @param functions objectives that are files, by name, with the hashes of their code
 */
export function identityOf(
  options: OptimiseOptions,
  {
    sessions,
    constraint = '',
    functions = {},
  }: Readonly<{
    sessions: readonly Session[];
    constraint?: string | undefined;
    functions?: Readonly<Record<string, Readonly<{ hash: string }>>>;
  }>,
): StudyIdentity {
  const { setup, sampling, span, walkForward, stopEarly } = options;
  const { strategy, objectives } = setup;
  const { id, definition, codeHash, params, capital, limits, trade = null, series = {} } = strategy;
  const market = setup.options;
  const { outside } = market;
  return {
    version: VERSION,
    strategy: id ?? definition.name,
    code: digest(codeHash ?? sourceOf(definition)),
    params: jsonOf(params ?? {}),
    capital: capital ?? '',
    limits: jsonOf([market.limits ?? {}, limits ?? {}, market.collarBps ?? null]),
    space: jsonOf(sampling.space),
    constraint,
    method: sampling.method,
    seed: String(sampling.seed),
    objective: objectives
      .map(({ name, isLessBetter }) => `${isLessBetter ? 'min' : 'max'}:${name}`)
      .join(','),
    functions: digest(Object.values(functions).map(({ hash }) => hash)),
    walkForward: walkForward ? jsonOf(walkForward) : '',
    stopEarly: String(stopEarly),
    market: jsonOf(modelOf(market)),
    cash: formatDecimal(cashOf(market)),
    riskFree: String(market.riskFree ?? 0),
    benchmark: market.benchmark ?? '',
    from: String(span.from),
    to: String(span.to),
    series: digest(Object.entries(series).map(([name, { text }]) => [name, text])),
    sessions: digest(sessions.map(({ open, close }) => [open, close])),
    actions: digest(market.actions ?? []),
    bars: barsText(market.bars),
    ...(outside && {
      trade: jsonOf([outside.trade, outside.stocks, outside.fractional, trade]),
      outside: barsText(outside.bars),
    }),
  };
}

const barsText = (bars: readonly BacktestBars[]): string =>
  bars.map(({ symbol, interval, ...columns }) => `${symbol} ${interval} ${contentHash(columns)}`).join(', ');
