import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VenueClient } from '../../../api/client.ts';
import { epochSeconds, toMs, epochMs } from '../../../core/brand.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import type { StoredAction, Source } from '../../../market/manifest.ts';
import { type History, allBars, pullBars, type PullResult } from '../../../market/pullBars.ts';
import { isLoopback } from '../../../app/config/fields.ts';
import { configOf, type LoadedConfig, givenCalendar } from '../../../app/config/load.ts';
import { withVenue } from '../../../app/environment/connect.ts';
import type { CommandContext } from '../../../process/context.ts';
import { iso, readableRows, toJson } from '../../../process/output.ts';
import { withVenueAccess } from '../../../app/environment/environment.ts';
import { newYorkDate, newYorkTime, type TradingCalendar } from '../../../calendar/index.ts';
import { counted } from '../../../core/counted.ts';
import { ConfigError, VenueRefusedError } from '../../../core/errors.ts';
import { suggest } from '../../../core/suggest.ts';
import type { Interval } from '../../../domain/bar.ts';
import type { BarStore, StoredBars } from '../../../market/barStore.ts';
import { joinedActions } from '../../../market/foreign/actionList.ts';
import { factorsOf } from '../../../market/factors.ts';
import { columnsOfRows, type Span } from '../../../market/mergeBars.ts';
import { intervalOf } from '../../../app/backtest/barFiles.ts';
import {
  withStore,
  type DataFlags,
  differenceJson,
  spanIn,
  reportDifferences,
  requireOneKind,
  tickersOf,
} from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { InterruptedError, type Terminal } from '../../../process/terminal.ts';

/** A venue's history, its corporate actions, and its current listings. */
type VenueHistory = History &
  Readonly<{ actions(symbol: Ticker): Promise<StoredAction[]>; listed(): Promise<readonly string[]> }>;

/** Maximum number of bars in a response. */
const PAGE = 5_000;

/** Opens the venue of the config, or with `mode: emulator` one in this process, while `work` runs. */
async function withHistory<T>(
  context: CommandContext,
  work: (history: VenueHistory) => Promise<T>,
): Promise<T> {
  const loaded = configOf(context);
  if (loaded.config.mode === 'emulator') return withEmulator(loaded, context, work);
  return withVenue(context, ({ client, clock, venue: { baseUrl } }) => {
    const kind = isLoopback(baseUrl) ? 'emulator' : 'venue';
    return work(historyOf(client, { source: { kind, name: baseUrl }, clock, terminal: context.terminal }));
  });
}

/** A fresh emulator without stored state: its past depends only on the seed. */
async function withEmulator<T>(
  loaded: LoadedConfig,
  context: CommandContext,
  work: (history: VenueHistory) => Promise<T>,
): Promise<T> {
  const stateDir = mkdtempSync(join(tmpdir(), 'drover-data-'));
  const emulator = { ...loaded.config.emulator, speed: 'max' as const };
  const config = { ...loaded.config, emulator, submission: 'one-click' as const };
  try {
    const source = { kind: 'emulator' as const, name: `seed ${emulator.seed}` };
    return await withVenueAccess({ loaded: { ...loaded, config }, context, stateDir }, ({ client, clock }) =>
      work(historyOf(client, { source, clock, terminal: context.terminal })),
    );
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

type HistoryParts = Readonly<{ source: Source; clock: Clock; terminal: Terminal }>;

export const historyOf = (client: VenueClient, { source, clock, terminal }: HistoryParts): VenueHistory => ({
  source,
  now: () => clock.now(),
  async bars({ symbol, interval, adjustment, from, to }) {
    const [startTime, endTime] = [Math.max(Math.ceil(from / 1000), 0), Math.ceil(to / 1000) - 1];
    const query = { startTime, endTime, interval, adjustment, limit: PAGE };
    const rows = readableRows(await client.history({ path: { symbol }, query }), terminal);
    return rows.map(({ timestamp, ...row }) => ({ start: toMs(epochSeconds(timestamp)), ...row }));
  },
  async actions(symbol) {
    const rows = readableRows(await client.corporateActions({ query: { symbols: symbol } }), terminal);
    const actions = rows.flatMap(({ symbol: of, type, exDate, ...terms }): StoredAction[] => {
      if (of !== symbol || !exDate) return [];
      const { oldRate = null, newRate = null, cashPerShare = null, payableDate } = terms;
      const payable = payableDate ? { payableDate } : {};
      return [{ type, exDate, oldRate, newRate, cashPerShare, ...payable, source }];
    });
    return actions;
  },
  listed: async () => readableRows(await client.symbols(), terminal).map(({ symbol }) => symbol),
});

type PullFlags = DataFlags &
  Readonly<{
    symbols?: readonly string[];
    interval?: string;
    from?: string;
    to?: string;
    refetch?: boolean;
    overwrite?: boolean;
  }>;

type Work = Readonly<{
  flags: PullFlags;
  context: CommandContext;
  store: BarStore;
  history: VenueHistory;
  interval: Interval;
  calendar: TradingCalendar;
  signal: AbortSignal;
}>;

/** `drover data pull`: fetches missing bars from the venue's history. Exit 1 if bars differ from the stored ones. */
export async function dataPull(flags: PullFlags, context: CommandContext): Promise<number> {
  const interval = intervalOf(flags.interval ?? '1d');
  const named = tickersOf(flags.symbols);
  const calendar = givenCalendar(context);
  const signal = context.stopSignal();
  const done = await withStore(flags, context, (store) => {
    const stored = store.names().filter((name) => name.interval === interval && !name.outside);
    const symbols = named.length > 0 ? named : stored.map(({ symbol }) => symbol);
    if (symbols.length === 0)
      throw new ConfigError(
        `which symbols? No bars of ${interval} in ${store.folder} could be brought up to date`,
      );
    return withHistory(context, async (history) => {
      const pulled = [];
      for (const symbol of symbols)
        pulled.push(await pullOne(symbol, { flags, context, store, history, interval, calendar, signal }));
      return pulled;
    });
  });
  if (context.json) context.terminal.out(toJson(done.map(({ json }) => json)));
  return done.some(({ differs }) => differs) && !flags.overwrite ? EXIT.failed : EXIT.done;
}

async function pullOne(symbol: Ticker, work: Work) {
  const { flags, context, store, history, interval, calendar } = work;
  const stored = store.read({ symbol, interval });
  requireOneKind({ symbol, interval }, history.source, store);
  const span = spanOf(flags, { stored, now: history.now(), symbol });
  const pulled = await pullRaw({ symbol, stored, span }, work);
  const own = (store.actions(symbol)?.actions ?? []).filter(({ source }) => source.kind === 'file');
  const actions = joinedActions(own, await history.actions(symbol));
  store.writeActions({ format: 1, symbol, fetchedAt: history.now(), actions });
  if (pulled.bars)
    store.write({ ...pulled.bars, factors: await factorsAt(pulled.bars, { history, calendar }) });
  const manifest = store.manifest({ symbol, interval });
  const { terminal, json } = context;
  reportDifferences({ symbol, interval }, pulled.differences, { terminal, kept: !flags.overwrite });
  if (pulled.outside > 0)
    terminal.err(`${symbol} ${interval}: ${pulled.outside} bars outside the regular sessions are left out`);
  const count = actions.length;
  const held = manifest
    ? `${manifest.bars} from ${iso(manifest.first)} to ${iso(manifest.last)}`
    : 'none: the venue has no bars in that time';
  if (!json)
    terminal.out(
      `${symbol} ${interval}: ${pulled.added} new bars, now ${held}; ${counted(count, 'corporate action')}`,
    );
  return {
    differs: pulled.differences.length > 0,
    json: {
      symbol,
      interval,
      added: pulled.added,
      bars: manifest?.bars ?? 0,
      first: manifest && iso(manifest.first),
      last: manifest && iso(manifest.last),
      hash: manifest?.hash ?? null,
      outside: pulled.outside,
      actions: count,
      differences: pulled.differences.map(differenceJson),
    },
  };
}

type PullQuery = Readonly<{ symbol: Ticker; stored: StoredBars | null; span: Span }>;

async function pullRaw({ symbol, stored, span }: PullQuery, work: Work): Promise<PullResult> {
  const { flags, context, store, history, interval, signal } = work;
  const { refetch = false, overwrite = false } = flags;
  try {
    return await pullBars({
      ...work,
      symbol,
      stored,
      span,
      refetch,
      overwrite,
      save: (bars) => void store.write(bars),
      onProgress: ({ done, total, bars }) =>
        context.terminal.status?.(
          `${symbol} ${interval}  ${Math.floor((100 * done) / total)} %  ${bars} bars`,
        ),
    });
  } catch (error) {
    if (error instanceof VenueRefusedError) await requireListed(symbol, history);
    if (!signal.aborted) throw error;
    throw new InterruptedError(
      `stopped; the bars of ${symbol} ${interval} found so far are kept, and the same command continues from there`,
    );
  } finally {
    context.terminal.status?.('');
  }
}

/** @throws {ConfigError} with a suggestion, if the symbol is not listed */
async function requireListed(symbol: Ticker, history: VenueHistory): Promise<void> {
  const listed = await history.listed();
  if (listed.includes(symbol)) return;
  const suggestion = suggest(symbol, listed);
  throw new ConfigError(
    `${symbol} is not listed at this venue. ` +
      (suggestion === undefined
        ? '`drover api GET /api/v1/symbols` names all that are'
        : `Did you mean ${suggestion}?`),
  );
}

function spanOf(
  flags: PullFlags,
  { stored, now, symbol }: Readonly<{ stored: StoredBars | null; now: number; symbol: Ticker }>,
): Span {
  if (flags.from === undefined && !stored)
    throw new ConfigError(
      `there are no bars of ${symbol} yet: give the first day, such as --from 2024-01-01`,
    );
  const from = Math.min(...(stored?.parts ?? []).map((part) => part.from));
  const span = spanIn(flags, { from, to: now });
  return { from: span.from, to: Math.min(span.to, now) };
}

/** Factors from all daily closes up to now: a split today changes the venue's adjustment of all older prices. */
async function factorsAt(
  { symbol, columns }: StoredBars,
  { history, calendar }: Pick<Work, 'history' | 'calendar'>,
) {
  const from = newYorkTime(newYorkDate(epochMs(columns.start[0] ?? NaN)), '00:00');
  const daily = { symbol, interval: '1d', from, to: history.now() } as const;
  const raw = await allBars(history, { ...daily, adjustment: 'raw' }, calendar);
  const adjusted = await allBars(history, { ...daily, adjustment: 'all' }, calendar);
  return factorsOf(columnsOfRows(raw), columnsOfRows(adjusted), history.now());
}
