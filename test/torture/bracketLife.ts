import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { formatDecimal, parseDecimal } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import { drover, root, start, type Done, type Running } from '../e2e/cli.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { dyingAt, type Death } from './dying.ts';
import { judgeHeld } from './heldJudge.ts';
import { momentsOf } from './heldSide.ts';
import { JournalSide } from './journalSide.ts';
import { judgeEnd } from './judge.ts';
import { isStarted } from './life.ts';
import { isReal, ordersOf, type TrueOrder } from './sides.ts';
import { VenueProcess } from './venueProcess.ts';

const SYMBOL = 'AAPL';
/** Prices in mUSD: at the entry, and below the stop. */
const [ENTRY, TAKE_PROFIT, STOP, CRASH] = ['200.00', '212.00', '194.00', '190.00'];
/** Parts that fill: of the entry, and of the take-profit while it is cancelled. */
const [OF_ENTRY, OF_TAKE_PROFIT] = [0.6, 0.5];
const SPEED = 100;
/** Time in ms at the venue for which the take-profit rests before the price falls. */
const REST_MS = 15_000;
const LOOK_MS = 20;
/** Longest life in real ms of a process. */
const PATIENCE_MS = 90_000;
const SEND = 'POST /api/v1/orders/send';
const CANCEL = 'DELETE /api/v1/orders/{orderId}/send';

/** End of one life. `died`: true when its death came before the end of the bracket. */
export type LifeEnd = Readonly<{
  died: boolean;
  /** Moments of the bracket at the death. */
  moments: readonly string[];
  /** Whatever is wrong with it, in words. */
  faults: readonly string[];
  /** Folder that is kept where something is. */
  dir: string;
}>;

/**
 * Runs a real process through one bracket at an emulated venue: its entry fills in part, its take-profit rests, the stop is
 * touched, the take-profit fills in part while it is cancelled, and the rest is sold. The process dies at one of its
 * commits, and another one continues.
 */
export async function bracketLife(death: Death): Promise<LifeEnd> {
  const dir = mkdtempSync(join(tmpdir(), 'drover-bracket-'));
  const { open } = tradingCalendar.nextSession(epochMs(Date.parse('2026-06-15T09:00:00Z')));
  const venue = await VenueProcess.open({ dir, seed: 1, speed: SPEED, start: epochMs(open + 60_000) });
  try {
    const play = new Play(dir, venue);
    const first = await play.live(dyingAt(death, dir));
    const died = first.signal === 'SIGKILL';
    const moments = died ? play.moments() : [];
    const last = died ? await play.live({}) : first;
    const faults =
      last.code === 0 || last.signal === 'SIGTERM'
        ? await play.faults()
        : [`ended with ${last.code ?? '?'}: ${last.err}`];
    if (faults.length === 0) rmSync(dir, { recursive: true });
    return { died, moments, faults, dir };
  } finally {
    await venue.close();
  }
}

/** One bracket at one venue, over the processes that hold it. */
class Play {
  readonly #venue: VenueProcess;
  readonly #journal: string;
  readonly #config: Readonly<{ file: string; env: Readonly<Record<string, string>> }>;
  #next: 'opening' | 'entry' | 'rest' | 'crash' = 'opening';

  constructor(dir: string, venue: VenueProcess) {
    this.#venue = venue;
    this.#journal = join(dir, 'state', 'journal.sqlite');
    this.#config = writeLiveConfig(dir, venue.info, BRACKET);
  }

  /** Runs one process until it dies, or the bracket is over. */
  async live(env: Readonly<Record<string, string>>): Promise<Done> {
    const { file, env: keys } = this.#config;
    const flags = ['--live', '--json', '--after-crashes'];
    const daemon = start(['run', file, ...flags], { ...keys, ...env });
    if (await isStarted(daemon)) await this.#direct(daemon);
    daemon.child.kill('SIGTERM');
    return daemon.done;
  }

  /** Moments of the bracket by what is on the disk. */
  moments(): readonly string[] {
    const { books, held } = this.#read();
    const [bracket] = held.orders.all.values();
    if (!bracket) return ['not placed yet'];
    return bracket.hasEnded ? ['over'] : momentsOf(books);
  }

  /** Compares journal and venue after the end. */
  async faults(): Promise<readonly string[]> {
    const journal = this.#read();
    const truth = await this.#venue.truth();
    const sides = { journal, truth, userAddress: this.#user, lies: NO_LIES };
    const found = [...judgeEnd(sides), ...judgeHeld(sides, new Set())].map(({ text }) => text);
    const orders = ordersOf(sides).filter(isReal);
    const { code, out, err } = await drover(
      ['journal', 'replay', '--config', this.#config.file],
      this.#config.env,
    );
    const replayed = code === 0 ? [] : [`the replay differs: ${out}${err}`];
    return [...found, ...tradesWrong(orders, journal), ...replayed];
  }

  get #user(): string {
    return this.#venue.info.accounts[0]?.userAddress ?? '';
  }

  #read(): JournalSide {
    const journal = new JournalSide(this.#journal);
    if (existsSync(this.#journal)) journal.read();
    return journal;
  }

  /** Moves price and faults at the venue along, until the bracket is over or the process has ended. */
  async #direct({ done }: Running): Promise<void> {
    const living = new Set([done]);
    void done.then(() => living.clear());
    const until = performance.now() + PATIENCE_MS;
    while (living.size > 0 && performance.now() < until) {
      await this.#step();
      if (this.#isOver()) return;
      await sleep(LOOK_MS);
    }
  }

  /** True once the bracket has ended, also without a purchase: an entry that was planned is not sent after a restart. */
  #isOver(): boolean {
    const { books, held } = this.#read();
    return held.orders.all.size > 0 && books.synthetics.live.size === 0 && books.live.size === 0;
  }

  async #step(): Promise<void> {
    const truth = await this.#venue.truth();
    const orders = ordersOf({ truth, userAddress: this.#user }).filter(isReal);
    if (this.#next === 'opening') {
      await this.#venue.price(SYMBOL, ENTRY);
      await this.#fault({ kind: 'settle-partly', share: OF_ENTRY, endpoint: SEND });
      this.#next = 'entry';
    } else if (this.#next === 'entry' && orders.some(({ side }) => side === 'Buy')) {
      await this.#fault({ kind: 'cancel-race', filled: OF_TAKE_PROFIT, endpoint: CANCEL });
      this.#next = 'rest';
    } else if (this.#next === 'rest' && orders.some((order) => hasRested(order, Date.parse(truth.now)))) {
      await this.#venue.price(SYMBOL, CRASH);
      this.#next = 'crash';
    }
  }

  #fault(rule: object): Promise<void> {
    return this.#venue.faults({ rules: [rule] });
  }
}

const hasRested = ({ side, minedAt, settledAt }: TrueOrder, now: number): boolean =>
  side === 'Sell' && settledAt === null && minedAt !== null && now - Date.parse(minedAt) >= REST_MS;

/** States of an entry that never was at the venue: it is not sent by a later process. */
const UNSENT: ReadonlySet<string> = new Set(['abandoned', 'neverExisted']);

/** What the venue has traded otherwise than one bracket does: all that was bought is sold, by one exit after its take-profit. */
function tradesWrong(orders: readonly TrueOrder[], journal: JournalSide): string[] {
  const { held, books } = journal;
  const sum = (side: 'Buy' | 'Sell', of: 'settlePay' | 'settleReceive') =>
    orders
      .filter((order) => order.side === side)
      .reduce((all, order) => all + parseDecimal(order[of] ?? '0'), 0n);
  const [bought, sold] = [sum('Buy', 'settleReceive'), sum('Sell', 'settlePay')];
  const legs = [...held.orders.all.values()].flatMap((each) => each.orders);
  const isUnsent = [...books.orders.values()].every(({ state: { kind } }) => UNSENT.has(kind));
  const exits = orders.filter(({ side, type }) => side === 'Sell' && type === 'Market').length;
  return [
    ...(held.orders.all.size === 1 ? [] : [`${held.orders.all.size} brackets were placed`]),
    ...(bought === sold ? [] : [`bought ${formatDecimal(bought)}, and sold ${formatDecimal(sold)}`]),
    ...(bought > 0n && exits !== 1 ? [`${exits} exits: ${legs.map(({ id }) => id).join(', ')}`] : []),
    ...(bought > 0n || isUnsent ? [] : ['nothing was bought']),
  ];
}

const BRACKET = `{ id: solo, use: ${join(root, 'test/torture/oneBracket.ts')}, capital: '5000', params:
      { symbol: ${SYMBOL}, notional: '1000', takeProfit: '${TAKE_PROFIT}', stopLoss: '${STOP}' } }`;

/** Writes the config of a run with one strategy at an emulated venue; returns its path and the environment with its keys. */
export function writeLiveConfig(dir: string, { accounts, ...info }: EmulatorInfo, strategy: string) {
  const [account] = accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new Error('the emulator has no account with a writable key');
  const file = join(dir, 'live.yaml');
  writeFileSync(
    file,
    `mode: live
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${account.userAddress}'
  clock: follow
  controlUrl: ${info.controlUrl}
  requestsPerMinute: 6000
state: ./state
orders: { assumeGoneAfterMinutes: 5 }
limits: { orderNotional: '5000', positionNotional: '5000', grossExposure: '5000', ordersPerMinute: 60,
          dayLoss: '5000', priceBandBps: 5000, quoteAgeMs: 60000 }
polling: { quotesMs: 5000, ordersMs: 5000, restingMs: 5000, accountMs: 10000 }
strategies:
  - ${strategy}
`,
  );
  return { file, env: { DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret } };
}
