import { join } from 'node:path';
import type { DividendWay } from '../domain/corporateAction.ts';
import { epochMs, toIso, type EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigError, orClosed } from '../core/errors.ts';
import { holdLock, makeFolder } from '../store/stateFolder.ts';
import { requireOwnFolder } from '../store/trust.ts';
import { GENESIS_CONSTANTS } from './state/constants.ts';
import { faceOf, type Client } from './state/nodeFace.ts';
import { createFront, type Front, type FrontOptions, type Latency } from './http/front.ts';
import { genesis, type Funds } from './state/genesis.ts';
import { replay, type Input, createMachine, type Machine } from './machine/machine.ts';
import { createRpcFront, type RpcFront } from './http/rpcFront.ts';
import { stocks as namedStocks, STOCKS_MAX } from './market/listings.ts';
import type { State } from './state/state.ts';
import { hasStore, openStore, storeFile, type Store } from './machine/store.ts';

/** Options that distinguish one venue from another; those of an existing directory are fixed. */
export type VenueOptions = Readonly<{
  /** Seed of prices, keys and everything random. Default 1. */
  seed?: number;
  /** First instant, ISO 8601 with a zone. Default: that of the clock, or 2026-06-15T13:30:00Z, the open of a Monday. */
  start?: string;
  /** Delay of the indexer behind the chain in ms. Default 3000. */
  indexerLagMs?: number | undefined;
  /** Number of listed stocks, from 15 to 5,000: the first have names of real ones, the rest are invented. Default 15. */
  stocks?: number | undefined;
  /** Initial funds: cash and stock, or cash alone. Default: all. An existing directory keeps its funds. */
  funds?: Funds;
  /** How dividends are paid. Default `cash`. */
  dividends?: DividendWay | undefined;
  /** Client software of the chain's node. Default monad, as on the venue's own chain. */
  node?: Client;
  /** Folder of the state; a restart continues from it. Without it, the state is lost when the process ends. */
  stateDir?: string;
}>;

const SEED = 1;
const START = '2026-06-15T13:30:00Z';
const INDEXER_LAG_MS = 3_000;
const LATENCY: Latency = { minMs: 15, maxMs: 60 };
/** Number of inputs after which a snapshot replaces them. */
const SNAPSHOT_EVERY = 5_000;

/** A machine with its storage. `keep` stores an input durably; `close` writes a snapshot. */
export type KeptMachine = Readonly<{ machine: Machine; keep: (input: Input) => void; close: () => void }>;

/**
 * Opens a directory's machine in the state in which its process ended, even after a crash; a new one for an empty
 * directory.
 * @throws {ConfigError} when the options contradict the directory, or its file is damaged
 * @throws {SafetyError} when another process uses the directory, or others can change it
 */
export function openMachine(options: VenueOptions, now?: EpochMs): KeptMachine {
  const { stateDir } = options;
  if (stateDir === undefined)
    return { machine: createMachine(create(options, now)), keep: () => undefined, close: () => undefined };
  makeFolder(stateDir, 'the state folder of the emulator');
  requireOwnFolder(stateDir, 'the state folder of the emulator');
  const unlock = holdLock(join(stateDir, 'emulator.lock'), `the emulator in ${stateDir}`);
  return orClosed({ close: unlock }, () => {
    return keepIn(openStore(storeFile(stateDir)), { options, now, unlock });
  });
}

type OpenOptions = Readonly<{ options: VenueOptions; now: EpochMs | undefined; unlock: () => void }>;

function keepIn(store: Store, { options, now, unlock }: OpenOptions): KeptMachine {
  const snapshot = store.snapshot();
  const saved = snapshot && withConstants(snapshot);
  if (saved) checkAgainst(saved, options);
  const machine = createMachine(saved ?? create(options, now));
  let pending = 0;
  for (const input of store.inputs()) {
    replay(machine, input);
    pending++;
  }
  const save = () => {
    store.save(machine.state);
    pending = 0;
  };
  if (!saved) save();
  return {
    machine,
    keep(input) {
      if (pending >= SNAPSHOT_EVERY) save();
      store.append(input);
      pending++;
    },
    close() {
      save();
      store.close();
      unlock();
    },
  };
}

/** Adds the default constants to a state written by 0.5.0 or earlier, which lacks them. */
const withConstants = (saved: State & Partial<Pick<State, 'constants'>>): State =>
  Object.assign(saved, { constants: { ...GENESIS_CONSTANTS, ...saved.constants } });

const create = (
  { seed = SEED, start, indexerLagMs = INDEXER_LAG_MS, stocks, funds, node, dividends }: VenueOptions,
  now?: EpochMs,
): State =>
  genesis({
    seed,
    start: start === undefined ? (now ?? instantOf(START)) : instantOf(start),
    indexerLagMs,
    stocks: stocks === undefined ? stocks : numberOfStocks(stocks),
    funds,
    node,
    dividends,
  });

/** @throws {ConfigError} */
function numberOfStocks(count: number): number {
  if (Number.isInteger(count) && count >= namedStocks.length && count <= STOCKS_MAX) return count;
  throw new ConfigError(`${count} stocks: the emulator lists ${namedStocks.length} to ${STOCKS_MAX}`);
}

/** @throws {ConfigError} */
function instantOf(text: string): EpochMs {
  const at = Date.parse(text);
  if (!/(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(at))
    throw new ConfigError(`start ${JSON.stringify(text)} is not an ISO 8601 instant with a zone`);
  return epochMs(at);
}

function checkAgainst(
  saved: State,
  { seed, start, indexerLagMs, stocks, node, dividends, stateDir }: VenueOptions,
): void {
  const contradiction = (what: string, was: unknown, is: unknown) =>
    new ConfigError(
      `${String(stateDir)} was begun with ${what} ${String(was)}, not ${String(is)}: leave it out, or use another directory`,
    );
  if (seed !== undefined && seed !== saved.seed) throw contradiction('seed', saved.seed, seed);
  if (start !== undefined && instantOf(start) !== saved.start)
    throw contradiction('start', toIso(saved.start), start);
  const { usualLagMs } = saved.indexer;
  if (indexerLagMs !== undefined && indexerLagMs !== usualLagMs)
    throw contradiction('an indexer lag of', usualLagMs, indexerLagMs);
  const listed = saved.stocks ?? namedStocks.length;
  if (stocks !== undefined && stocks !== listed) throw contradiction('a number of stocks of', listed, stocks);
  const pays = saved.constants.dividends?.pays ?? 'cash';
  if (dividends !== undefined && dividends !== pays) throw contradiction('dividends in', pays, dividends);
  const { client } = saved.node?.usual ?? faceOf(saved);
  if (node !== undefined && node !== client) throw contradiction('the node', client, node);
}

/** Instant at which a directory resumes, for setting a clock. Null for an empty directory. */
export function savedInstant(stateDir: string): EpochMs | null {
  if (!hasStore(stateDir)) return null;
  const store = openStore(storeFile(stateDir));
  try {
    return store.instant();
  } finally {
    store.close();
  }
}

export type FaceOptions = Readonly<{
  clock: Clock;
  /** Default 15 to 60 ms. */
  latency?: Latency;
}>;

/** Opens a machine's entry to the venue. @throws {ConfigError} when the clock is behind it */
export const openFront = (kept: KeptMachine, options: FaceOptions): Front =>
  createFront(entry(kept, options));

/** Opens a machine's entry to its chain's node. @throws {ConfigError} when the clock is behind it */
export const openRpcFront = (kept: KeptMachine, options: FaceOptions): RpcFront =>
  createRpcFront(entry(kept, options));

function entry({ machine, keep }: KeptMachine, { clock, latency = LATENCY }: FaceOptions): FrontOptions {
  if (clock.now() < machine.state.now)
    throw new ConfigError(`the venue has reached ${toIso(machine.state.now)}: start the clock there`);
  return { machine, keep, clock, latency };
}
