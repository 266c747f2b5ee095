import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VenueClient } from '../../api/client.ts';
import { epochSeconds, toMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { CorporateAction, Source } from '../../market/manifest.ts';
import type { History } from '../../market/pullBars.ts';
import { isLoopback } from '../config/fields.ts';
import { configOf } from '../config/configFile.ts';
import type { LoadedConfig } from '../config/load.ts';
import { withVenue } from '../connect.ts';
import type { CommandContext, Terminal } from '../context.ts';
import { readableRows } from '../readable.ts';
import { emulatedWorld } from '../run/world.ts';

/** The past of a venue, its corporate actions, and the symbols that it lists today. */
export type VenueHistory = History &
  Readonly<{ actions(symbol: Ticker): Promise<CorporateAction[]>; listed(): Promise<readonly string[]> }>;

/** Most bars of one answer. */
const PAGE = 5_000;

/** Opens the venue of the config, or with `mode: emulator` one in this process, for as long as `work` takes. */
export async function withHistory<T>(
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

/** A fresh emulator that leaves nothing behind: its past is a function of the seed. */
async function withEmulator<T>(
  loaded: LoadedConfig,
  context: CommandContext,
  work: (history: VenueHistory) => Promise<T>,
): Promise<T> {
  const stateDir = mkdtempSync(join(tmpdir(), 'drover-data-'));
  const emulator = { ...loaded.config.emulator, speed: 'max' as const };
  const config = { ...loaded.config, emulator, submission: 'one-click' as const };
  try {
    const world = await emulatedWorld({
      ...{ loaded: { ...loaded, config }, context, stateDir },
      ...{ log: () => silentLog, onDenied: () => undefined },
    });
    const source = { kind: 'emulator' as const, name: `seed ${emulator.seed}` };
    const { client, clock } = world;
    try {
      return await world.during(() => work(historyOf(client, { source, clock, terminal: context.terminal })));
    } finally {
      await world.close();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

type Told = Readonly<{ source: Source; clock: Clock; terminal: Terminal }>;

export const historyOf = (client: VenueClient, { source, clock, terminal }: Told): VenueHistory => ({
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
    const actions = rows.flatMap(({ symbol: of, type, exDate, ...terms }): CorporateAction[] => {
      if (of !== symbol || !exDate) return [];
      const { oldRate = null, newRate = null, cashPerShare = null, payableDate } = terms;
      const payable = payableDate ? { payableDate } : {};
      return [{ type, exDate, oldRate, newRate, cashPerShare, ...payable, source }];
    });
    return actions;
  },
  listed: async () => readableRows(await client.symbols(), terminal).map(({ symbol }) => symbol),
});
