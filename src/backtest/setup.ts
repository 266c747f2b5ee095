import type { Limits, TradingRules } from '../domain/limits.ts';
import type { Session, TradingCalendar } from '../calendar/index.ts';
import { cash, formatDecimal, parseCash, type Cash } from '../core/amount.ts';
import { hashHex } from '../core/random.ts';
import { VERSION } from '../core/version.ts';
import type { PlannedAction } from './actions.ts';
import type { EpochMs } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { INTERVAL_MS } from '../domain/bar.ts';
import { ticker, type Instrument, type Ticker } from '../domain/instrument.ts';
import type { StrategySetup } from '../engine/strategy/strategyInstance.ts';
import { inProcess } from '../engine/strategy/strategyRuntime.ts';
import { timersIn } from '../strategy/sessionTime.ts';
import { EVERY_ORDER } from '../engine/strategy/trading.ts';
import type { StrategyDefinition } from '../strategy/contract.ts';
import { needsOf, quotePhases } from '../strategy/dataNeeds.ts';
import { isSignals } from '../strategy/signals/defineSignals.ts';
import { hashRows } from '../market/datedSeries.ts';
import type { BarColumns } from '../domain/barColumns.ts';
import { seriesOf } from '../market/seriesCsv.ts';
import {
  cutAt,
  dividendsOf,
  spanOf,
  type BacktestOptions,
  type BacktestStrategy,
  type MarketModel,
} from './options.ts';
import { barsOfPhases, phasesIn, tradedHours, tradeRulesOf } from './outside.ts';
import type { Timer } from './replay/dayReplay.ts';
import { PlayedSignals } from './playedSignals.ts';
import { sessionParts } from './preparedBars.ts';
import { LastPrice, partsOf, Tape } from './tape.ts';

export type PlannedStrategy = StrategySetup &
  Readonly<{
    params: unknown;
    capital: Cash;
    codeHash: string;
    /** Signals computed before the run; null for any other strategy, and for one that runs in another thread. */
    signals: PlayedSignals | null;
  }>;

/** Strategies with checked parameters. @throws {ConfigError} for anything invalid */
export function strategiesOf(options: BacktestOptions, money: Cash): PlannedStrategy[] {
  const { strategy, params, series = {} } = options;
  const given = options.strategies ?? (strategy ? [{ definition: strategy, params, series }] : []);
  if (given.length === 0) throw new ConfigError('a backtest needs a strategy');
  const part = cash(money / BigInt(given.length));
  const planned = given.map((one: BacktestStrategy) => planOf(one, part));
  const ids = new Set(planned.map(({ id }) => id));
  if (ids.size < planned.length) throw new ConfigError('two strategies have the same id: give each its own');
  const total = planned.reduce((sum, { capital }) => sum + capital, 0n);
  if (total > money)
    throw new ConfigError(
      `the strategies are given ${formatDecimal(total)} mUSD, but there are ${formatDecimal(money)}`,
    );
  return planned;
}

function planOf({ definition, capital, explain, ...given }: BacktestStrategy, part: Cash): PlannedStrategy {
  const id = given.id ?? definition.name;
  const parsed = definition.params.safeParse(given.params ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'params'}: ${message}`,
    );
    throw new ConfigError(`the parameters of ${id} do not fit: ${problems.join('; ')}`, { strategy: id });
  }
  const params: unknown = parsed.data;
  const needs = needsOf({ id, definition, params, explain });
  if (needs.fetch?.length)
    throw new ConfigError(
      `${id} asks to fetch ${needs.fetch.join(', ')}, which a study cannot do: what was there at the time is unknown. ` +
        'Give it the same data as a dated series here (docs/series.md), and ask for `fetch` only in runs',
      { strategy: id },
    );
  const signals =
    given.createRuntime || !isSignals(definition)
      ? null
      : new PlayedSignals({ id, definition, params, needs, explain });
  return {
    id,
    params,
    createRuntime: given.createRuntime ?? inProcess(signals?.definition ?? definition, params),
    needs,
    series: seriesOf({ id, needs: needs.series ?? [], files: given.series ?? {} }),
    signals,
    capital: capital === undefined ? part : parseCash(capital),
    allowOrders: EVERY_ORDER,
    rest: given.rest,
    codeHash: given.codeHash ?? sourceOf(definition),
    ...(explain ? { explain } : {}),
  };
}

/** Source text of the functions that an author writes. */
export const sourceOf = (definition: StrategyDefinition): string =>
  `${String(definition.data)}\n${String(isSignals(definition) ? definition.signals : definition.create)}`;

/**
 * One tape for each set of bars. Symbols with splits get their own copy of the columns, because these change.
 * @throws {ConfigError} for bars that are missing, given twice or out of order
 */
export function tapesOf(
  options: BacktestOptions,
  calendar: TradingCalendar,
  split: ReadonlySet<string>,
): Tape[] {
  const { bars } = options;
  const { to } = spanOf(options);
  const sorted = bars
    .map(({ symbol, interval, ...columns }) => ({ symbol: ticker(symbol), interval, columns }))
    .sort((a, b) => INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval]);
  const seen = new Set<Ticker>();
  const names = new Set<string>();
  const hours = tradedHours(options, calendar);
  return sorted.flatMap((input) => {
    const { symbol, interval, columns } = input;
    const name = `${symbol} ${interval}`;
    const lengths = new Set(Object.values(columns).map(({ length }) => length));
    if (names.has(name)) throw new ConfigError(`there are two sets of bars of ${name}. Give one of them`);
    if (columns.start.length === 0) throw new ConfigError(`there are no bars of ${name}`);
    if (lengths.size > 1) throw new ConfigError(`the columns of ${name} differ in length`);
    names.add(name);
    const isShortest = !seen.has(symbol);
    seen.add(symbol);
    const cut = cutAt(columns, to);
    const parts = sessionParts({ symbol, interval, columns: cut }, calendar);
    const kept = { symbol, interval, columns: split.has(symbol) ? copied(cut) : cut };
    const columnsOfAll = isShortest ? barsOfPhases({ symbol, interval, columns: cut }, options, hours) : null;
    if (!hours || !columnsOfAll) return [new Tape(kept, parts, isShortest ? new LastPrice(symbol) : null)];
    const priced = { symbol, interval, columns: columnsOfAll, isShown: false };
    return [new Tape(kept, parts, null), new Tape(priced, partsOf(priced, hours), new LastPrice(symbol))];
  });
}

const copied = ({ start, open, high, low, close, volume }: BarColumns): BarColumns => ({
  start,
  open: open.slice(),
  high: high.slice(),
  low: low.slice(),
  close: close.slice(),
  volume: volume.slice(),
});

/** @throws {ConfigError} naming a symbol or bars that a strategy requests but that are missing */
export function requireData(strategies: readonly PlannedStrategy[], tapes: readonly Tape[]): void {
  const given = tapes.map(({ symbol, interval }) => `${symbol} ${interval}`).join(', ');
  for (const { id, needs } of strategies) {
    // Bars of other phases are made from the given ones: `phaseTapes`.
    for (const { symbol, interval, phases } of needs.bars ?? [])
      if (!tapes.some((tape) => tape.symbol === symbol && (phases || tape.interval === interval)))
        throw new ConfigError(
          `${id} asks for bars of ${symbol} ${interval}, but the given bars are ${given}${otherLength(symbol, tapes)}`,
          { strategy: id, symbol },
        );
    for (const symbol of quotePhases(needs).keys())
      if (!tapes.some((tape) => tape.symbol === symbol))
        throw new ConfigError(
          `${id} asks for prices of ${symbol}, but the given bars are of ${given}. Give bars of ${symbol}, or correct the symbol in its parameters`,
          { strategy: id, symbol },
        );
  }
}

/** Hint for a symbol that has bars, but none of the requested length. */
function otherLength(symbol: string, tapes: readonly Tape[]): string {
  const other = tapes.find((tape) => tape.symbol === symbol);
  if (!other) return '';
  return (
    '. Give those, or, if the strategy takes the length of its bars as a parameter, set that: ' +
    `--params '{"interval":"${other.interval}"}'`
  );
}

/** @throws {ConfigError} for sessions in which a symbol has bars but no prices: its orders would wait forever */
export function requirePrices(tapes: readonly Tape[], sessions: readonly Session[]): void {
  for (const prices of tapes) {
    const [first, latest] = [prices.parts[0]?.session, prices.parts.at(-1)?.session];
    if (!prices.last || !first || !latest) continue;
    const before = sessions.filter(({ close }) => close <= first.open);
    const after = sessions.filter(({ open }) => open >= latest.close);
    for (const shown of tapes) {
      if (shown.symbol !== prices.symbol || shown === prices) continue;
      if (hasBarIn(shown, before)) throw missingPrices(shown, prices, `before ${first.date}`);
      if (hasBarIn(shown, after, latest.close)) throw missingPrices(shown, prices, `after ${latest.date}`);
    }
  }
}

/** True when a bar lies in one of the sessions; one that began before `since` does not count, as it has prices. */
function hasBarIn({ parts, columns }: Tape, sessions: readonly Session[], since = -Infinity): boolean {
  const within = new Set(sessions);
  return parts.some(({ session, from }) => within.has(session) && (columns.start[from] ?? NaN) >= since);
}

const missingPrices = (shown: Tape, { symbol, interval }: Tape, where: string) =>
  new ConfigError(
    `the ${interval} bars of ${symbol} make its prices, and there are none ${where}, where there are ${shown.interval} bars ` +
      'of it: no order could fill there. Leave that time out (--from, --to; what is before --from still warms up), or give its bars',
    { symbol, interval },
  );

const NOWHERE = '0x0000000000000000000000000000000000000000';

export const instrumentOf = (tape: Tape, { outside }: Pick<BacktestOptions, 'outside'>): Instrument => ({
  symbol: tape.symbol,
  address: NOWHERE,
  tradable: true,
  fractionable: true,
  overnightTradable: phasesIn(tape).has('overnight'),
  ...(outside?.fractional?.includes(tape.symbol) && { fractionsOutside: true }),
});

const COLLAR_BPS = 50;
const DEADLINE_MS = 90_000;

/** Limits that the run applies; those on premiums only with token prices. */
export function playedLimits(
  { premiumBps, outside, ...limits }: Limits,
  { tokenPrices }: Pick<BacktestOptions, 'tokenPrices'>,
): Limits {
  if (tokenPrices) return { ...limits, premiumBps, outside };
  if (!outside) return limits;
  const { premiumBps: _, ...night } = outside;
  return { ...limits, outside: night };
}

export function rulesOf(
  options: BacktestOptions,
  { model, tapes }: Readonly<{ model: MarketModel; tapes: readonly Tape[] }>,
): TradingRules {
  const own = (options.strategies ?? []).map(
    ({ id, definition, limits = {} }) => [id ?? definition.name, playedLimits(limits, options)] as const,
  );
  const trade = tradeRulesOf(options, tapes);
  return {
    limits: playedLimits(options.limits ?? {}, options),
    ownLimits: new Map(own),
    deadlineMs: DEADLINE_MS,
    collarBps: options.collarBps ?? COLLAR_BPS,
    fees: model.fees,
    ...trade,
    dividends: {
      ...dividendsOf(model),
      ...(trade.trade && { begins: options.outside?.exDates ?? 'evening' }),
    },
    ...(model.exitDividends && { exitDividends: model.exitDividends }),
    answersAtOnce: true,
    plainExchange: model.fill !== 'venue',
  };
}

const NO_TIMERS: Timer[] = [];

/** Returns a session day's timers that strategies requested, earliest first, with `from` <= time < `to`. */
export function timersBetween(
  strategies: readonly StrategySetup[],
  { from, to, calendar }: Readonly<{ from: EpochMs; to: EpochMs; calendar: TradingCalendar }>,
): (session: Session) => readonly Timer[] {
  if (strategies.every(({ needs }) => !needs.timers?.length)) return () => NO_TIMERS;
  return (session) => {
    const all = strategies.flatMap(({ id: strategyId, needs }) =>
      timersIn(needs, [session], calendar).map(({ name, at }) => ({ at, strategyId, name })),
    );
    return all.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
  };
}

/** Inputs that determine the result of a run. `data`: identity of the bars, by their hashes. */
type RunInputs = Readonly<{
  options: BacktestOptions;
  model: MarketModel;
  money: Cash;
  strategies: readonly PlannedStrategy[];
  actions: readonly PlannedAction[];
  data: readonly unknown[];
}>;

/** Hash of everything that determines the result: engine, code, config, data and seed. */
export function runIdOf({ options, model, money, strategies, data, actions }: RunInputs): string {
  const { limits = {}, tokenPrices, collarBps = null, seed = 0 } = options;
  const { from, to } = spanOf(options);
  const identity = {
    engine: VERSION,
    model,
    seed,
    limits: playedLimits(limits, options),
    tokenPrices,
    collarBps,
    from: String(from),
    to: String(to),
    trade: options.outside && [options.outside.trade, options.outside.stocks, options.outside.fractional],
    cash: money,
    unpaid: options.unpaid?.length ? options.unpaid : undefined,
    strategies: strategies.map(({ id, params, codeHash, capital, series, rest }) => ({
      id,
      params,
      rest,
      codeHash,
      capital,
      series: series?.size ? [...series].map(([name, rows]) => [name, hashRows(rows)]) : undefined,
    })),
    own: (options.strategies ?? []).map(({ limits: own = {} }) => playedLimits(own, options)),
    ownTrade: options.outside && options.strategies?.map(({ trade }) => trade ?? null),
    data,
    actions,
  };
  const text = JSON.stringify(identity, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hashHex(text).slice(2, 34);
}
