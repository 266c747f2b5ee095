import {
  cashOf,
  leavesPremiums,
  spanOf,
  type BacktestBars,
  type BacktestOptions,
  type OutsideOptions,
} from '../../backtest/options.ts';
import { tradedHours, tradedPhases } from '../../backtest/outside.ts';
import { strategiesOf } from '../../backtest/setup.ts';
import { newYorkDate, tradingCalendar } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { isIntraday } from '../../domain/bar.ts';
import { QUOTE_PHASES, type QuotePhase } from '../../domain/instrument.ts';
import { quotePhases } from '../../strategy/dataNeeds.ts';

type OutsideFlags = Readonly<{ trade?: string; slippageOutside?: string }>;

function phaseOf(text: string): QuotePhase {
  const phase = QUOTE_PHASES.find((name) => name === text.trim());
  if (phase) return phase;
  throw new ConfigError(
    `--trade "${text}": write phases of ${QUOTE_PHASES.join(', ')}, such as regular,post`,
  );
}

/** Trading outside the session; flags take precedence over the config. @throws {ConfigError} for an unknown phase */
export function outsideOf(
  { trade: named, slippageOutside: slippage }: OutsideFlags,
  config: OutsideOptions | undefined,
): Pick<BacktestOptions, 'outside'> {
  const trade = named?.split(',').map(phaseOf) ?? config?.trade;
  if (!trade && slippage !== undefined)
    throw new ConfigError(
      '--slippage-outside: only with --trade, or a config that trades outside the session',
    );
  if (!trade?.some((phase) => phase !== 'regular')) return { outside: undefined };
  return { outside: { ...config, trade, bars: [], ...(slippage !== undefined && { slippage }) } };
}

/** Bars outside the session with the settings of their trading; absent without any. @throws {ConfigError} if a flag asks for them */
export function playedOutside(
  options: BacktestOptions,
  found: readonly BacktestBars[],
  { trade, warn }: Pick<OutsideFlags, 'trade'> & Readonly<{ warn: (text: string) => void }>,
): Pick<BacktestOptions, 'outside'> {
  const { outside, bars } = options;
  if (!outside) return {};
  const known = new Set(found.map(({ symbol }) => symbol));
  const without = [...new Set(bars.map(({ symbol }) => symbol))].filter((symbol) => !known.has(symbol));
  const isDaily = bars.every(({ interval }) => !isIntraday(interval));
  const ways = isDaily
    ? 'daily bars do not cover them. --interval 5m adds shorter ones'
    : 'they trade only in the regular session. `drover data import FILE --symbol SYMBOL --interval 5m --sessions all` gets bars of all phases';
  if (found.length === 0 && trade !== undefined)
    throw new ConfigError(
      `--trade ${trade}: there are no bars outside the session for ${without.join(', ')}: ${ways}`,
    );
  if (without.length > 0) warn(`no bars outside the session for ${without.join(', ')}: ${ways}`);
  const night = nightBeyond(options, found);
  if (night !== null)
    warn(`the night before the session of ${night} is not played: no bar of that session lies before --to`);
  return found.length === 0 ? { outside: undefined } : { outside: { ...outside, bars: found } };
}

/** Date of the day after the last session played, if bars of its night exist; null if no night is left out. */
function nightBeyond(options: BacktestOptions, found: readonly BacktestBars[]): string | null {
  const { bars, calendar = tradingCalendar } = options;
  const hours = tradedHours(options, calendar);
  const { to } = spanOf(options);
  const lastOf = (all: readonly BacktestBars[]) =>
    Math.max(...all.map(({ start }) => start.findLast((at) => at < to) ?? -Infinity));
  const [session, night] = [lastOf(bars), lastOf(found)];
  if (!hours || !Number.isFinite(session) || !Number.isFinite(night)) return null;
  const { date } = hours.sessionAt(epochMs(night)) ?? {};
  return date !== undefined && date > newYorkDate(epochMs(session)) ? date : null;
}

/** One-line warning about premium limits that the backtest does not apply; null if there are none. */
export const premiumWarning = (options: BacktestOptions): string | null =>
  leavesPremiums(options)
    ? 'limits.premiumBps is not applied: bars have no token prices. `backtest --like STATE` applies it with token prices that a run has read'
    : null;

/** One-line warning about strategies that request quotes or bars of phases that are not played; null if there are none. */
export function phaseWarning(options: BacktestOptions): string | null {
  const played = tradedPhases(options) ?? new Set<QuotePhase>(['regular']);
  const unplayed = strategiesOf(options, cashOf(options)).flatMap(({ id, needs }) => {
    const bars = (needs.bars ?? []).map(({ symbol, phases = [] }) => ['bars', symbol, phases] as const);
    const quotes = [...quotePhases(needs)].map(([symbol, phases]) => ['quotes', symbol, phases] as const);
    return [...quotes, ...bars].flatMap(([what, symbol, phases]) => {
      const others = [...phases].filter((phase) => !played.has(phase));
      return others.length > 0 ? [`${id} asks for ${what} of ${symbol} in ${others.join(', ')}`] : [];
    });
  });
  if (unplayed.length === 0) return null;
  const phases = QUOTE_PHASES.filter((phase) => played.has(phase)).join(', ');
  return `${unplayed.join('; ')}: only bars of ${phases} are played, so it sees no other phase; a run shows the others, too`;
}
