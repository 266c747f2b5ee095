import { isUnreadable } from '../../core/nesting.ts';
import type { VenueClient } from '../../api/client.ts';
import { ConfigError, messageOf, atVenueFault } from '../../core/errors.ts';
import { symbolsOf } from '../../strategy/dataNeeds.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { planStrategies } from '../environment/plan.ts';
import { fail, itemMistake, mistake, ok, warn, type Finding } from './finding.ts';
import { readableOf } from '../environment/market.ts';
import { knownPins } from '../environment/pins.ts';
import { againstStock, unlistedContracts } from '../environment/pinned.ts';
import type { TradingCalendar } from '../../calendar/index.ts';
import { DAY_MS, epochMs, toIso, toSeconds, type EpochMs } from '../../core/brand.ts';

/** Checks that the strategies load, that their parameters are valid, and that their symbols are listed and tradable. */
export async function checkStrategies(
  loaded: LoadedConfig,
  client: VenueClient | null,
  context: CommandContext,
): Promise<Finding[]> {
  const wanted = await wantedSymbols(loaded, context);
  if ('verdict' in wanted) return [wanted];
  const strategies = ok(
    'strategies',
    `${loaded.config.strategies.length} load, and their parameters are right`,
  );
  return client ? [strategies, await checkListed(client, wanted)] : [strategies];
}

async function checkListed(client: VenueClient, wanted: ReadonlySet<string>): Promise<Finding> {
  if (wanted.size === 0)
    return warn('symbols', {
      detail: 'not checked: no strategy asks for a stock',
      remedy: 'Look at its data()',
    });
  const { stuck, partial } = await listed(client, wanted);
  if (stuck.length > 0)
    return itemMistake('symbols', {
      detail: `not listed or not tradable: ${stuck.join(', ')}`,
      remedy: '`drover api GET /api/v1/symbols` lists all symbols',
    });
  if (partial.length > 0)
    return warn('symbols', {
      detail: `only whole shares: ${partial.join(', ')}`,
      remedy: 'Buys by notional of these are refused; size them in whole shares',
    });
  return ok('symbols', `all ${wanted.size} are tradable`);
}

async function wantedSymbols(
  loaded: LoadedConfig,
  context: CommandContext,
): Promise<ReadonlySet<string> | Finding> {
  try {
    const { strategies: planned, close } = await planStrategies(loaded, { context, print: () => undefined });
    await close();
    return new Set(planned.flatMap(({ needs }) => [...symbolsOf(needs)]));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return itemMistake('strategies', { detail: messageOf(error), remedy: null });
  }
}

async function listed(client: VenueClient, wanted: ReadonlySet<string>) {
  const rows = (await client.symbols()).filter((row) => !isUnreadable(row));
  const found = new Map(rows.flatMap((row) => ('symbol' in row ? [[row.symbol, row]] : [])));
  const stuck = [...wanted].filter((symbol) => !found.get(symbol)?.tradable);
  return { stuck, partial: [...wanted].filter((symbol) => found.get(symbol)?.fractionable === false) };
}

/** Compares the venue's listings with venue.contracts and with the journal of the state folder. */
export async function checkContracts(client: VenueClient, loaded: LoadedConfig): Promise<Finding> {
  const rows = readableOf(await client.symbols());
  const pinned = knownPins(loaded);
  const unlisted = unlistedContracts(
    rows.map(({ symbol }) => symbol),
    pinned,
  );
  if (unlisted !== null)
    return mistake('contracts', { detail: unlisted, remedy: 'Correct the name in venue.contracts' });
  const changed = rows.flatMap(({ symbol }) => {
    const why = againstStock(rows, symbol, pinned);
    return why === null ? [] : [`${symbol}: ${why}`];
  });
  if (changed.length === 0) return ok('contracts', `${rows.length} stocks: the pinned ones are unchanged`);
  const remedy =
    'Nothing is sent for these. Ask the venue why; `drover release SYMBOL --accept-terms --reason TEXT` accepts the new terms';
  return { ...fail('contracts', { detail: changed.join('\n'), remedy }), bounded: true };
}

const DAY_S = 86_400;
/** Number of past days whose daily bars at the venue are compared with our sessions. */
const BACK_DAYS = 14;
/** Maximum delay in ms between a close and the venue's bar for that day. */
const LATE_MS = 2 * 3_600_000;
/** Maximum age in ms of the venue's newest quote, in a session that has been open for longer than that. */
const QUOTE_AGE_MAX_MS = 15 * 60_000;
/** Number of stocks whose bars are read: a day counts as missing when all of them lack it. */
const STOCKS = 2;

type Rows = Awaited<ReturnType<VenueClient['symbols']>>;

/**
 * Compares our sessions with the venue's: no endpoint gives market hours, but its daily bars are those of
 * its sessions, and its quotes move while one is open.
 */
export async function checkSessions(
  client: VenueClient,
  calendar: TradingCalendar,
  now: EpochMs,
): Promise<Finding> {
  const rows = await client.symbols();
  const compared = { rows, calendar, now };
  const differences = [...(await barDifferences(client, compared).catch(unread)), ...still(compared)];
  const { phase } = calendar.phaseAt(now);
  const here = `by drover's calendar it is now ${phase}, and the next regular session is on ${nextDate(calendar, now)}`;
  if (differences.length === 0) return ok('sessions', here);
  return warn('sessions', {
    detail: `${here}; ${differences.join('; ')}`,
    remedy:
      'Ask the venue for its hours; calendar.overrides sets a closure or an early close that we do not know',
  });
}

const nextDate = (calendar: TradingCalendar, now: EpochMs): string =>
  (calendar.sessionAt(now) ?? calendar.nextSession(now)).date;

/** Reports unreadable bars as a difference, which does not prevent a run from starting. */
const unread = atVenueFault((error) => [`its daily bars cannot be read (${messageOf(error)})`]);

type SessionLook = Readonly<{ rows: Rows; calendar: TradingCalendar; now: EpochMs }>;

async function barDifferences(
  client: VenueClient,
  { rows, calendar, now }: SessionLook,
): Promise<readonly string[]> {
  const symbols = rows.flatMap((row) =>
    isUnreadable(row) || !('symbol' in row) || !row.tradable ? [] : [row.symbol],
  );
  const shown = new Set<string>();
  const from = epochMs(now - BACK_DAYS * DAY_MS);
  for (const symbol of symbols.slice(0, STOCKS)) {
    const bars = await client.history({
      path: { symbol },
      query: { startTime: toSeconds(from), endTime: toSeconds(now), interval: '1d' },
    });
    for (const bar of bars)
      if (!isUnreadable(bar) && 'timestamp' in bar) shown.add(dateOf(bar.timestamp, calendar));
  }
  if (shown.size === 0) return [`it has no daily bars of the last ${BACK_DAYS} days to compare`];
  const first = [...shown].sort()[0] ?? '';
  const ours = calendar.sessions(calendar.newYorkDate(from), calendar.newYorkDate(now));
  const known = new Set(ours.map(({ date }) => date));
  const missing = ours.filter(({ date, close }) => close + LATE_MS < now && date > first && !shown.has(date));
  return [
    ...missing.map(({ date }) => `the venue has no daily bar of ${date}, which we take for a session`),
    ...[...shown]
      .filter((date) => !known.has(date))
      .map((date) => `the venue has a daily bar of ${date}, on which we know no session`),
  ];
}

/** Day of a daily bar, whose time may be the session's open, midnight in New York or midnight UTC. */
const dateOf = (timestamp: number, calendar: TradingCalendar): string =>
  timestamp % DAY_S === 0
    ? toIso(epochMs(timestamp * 1000)).slice(0, 10)
    : calendar.newYorkDate(epochMs(timestamp * 1000));

/** Reports quotes that do not move while our calendar has an open session. */
function still({ rows, calendar, now }: SessionLook): readonly string[] {
  const session = calendar.sessionAt(now);
  const times = rows.flatMap((row) =>
    isUnreadable(row) || !('lastUpdateTimestamp' in row) ? [] : [row.lastUpdateTimestamp * 1000],
  );
  if (!session || now - session.open < QUOTE_AGE_MAX_MS || times.length === 0) return [];
  const age = now - Math.max(...times);
  if (age <= QUOTE_AGE_MAX_MS) return [];
  return [`the newest quote of the venue is ${Math.round(age / 60_000)} min old: it may be closed`];
}
