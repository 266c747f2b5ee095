import { toNumber } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { AccountChange } from '../../domain/account/accountChange.ts';
import { UNALLOCATED, ownerName } from '../../domain/account/ledger.ts';
import { INTERVAL_MS, type Bar } from '../../domain/bar.ts';
import { rescale, sharesPer, type Split } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Side } from '../../domain/venue.ts';
import {
  move,
  NOWHERE,
  reach,
  splitTrip,
  tradeOf,
  tripFrom,
  writeOffTrip,
  type RoundTrip,
  type Trade,
  type Why,
} from '../../sim/roundTrips.ts';
import type { Step } from './liveHistory.ts';

/** Round trip in progress, with the price range since its latest entry and its number of bars. */
type OpenTrip = { readonly trip: RoundTrip; low: number; high: number; bars: number };

/** Amounts of a change that moves a position. */
type Execution = Readonly<{
  strategyId: string;
  symbol: Ticker;
  at: EpochMs;
  side: Side;
  pay: bigint;
  receive: bigint;
  fees: bigint;
  price: number | null;
}> &
  Why;

/**
 * Round trips from a journal, by the rules of a backtest. Excursions are derived from the journal's bars, the session
 * closes and the fills. Stock moved in opens a round trip at its value; stock held before is in none.
 */
export class TradeBook {
  readonly closed: Trade[] = [];
  readonly #open = new Map<string, OpenTrip>();
  /** Length in ms of the shortest bars of each stock, which are the ones counted. */
  readonly #shortest = new Map<Ticker, number>();

  constructor(steps: readonly Step[]) {
    for (const step of steps) {
      if (step.kind !== 'bar') continue;
      const { symbol, interval } = step.bar;
      this.#shortest.set(symbol, Math.min(INTERVAL_MS[interval], this.#shortest.get(symbol) ?? Infinity));
    }
    for (const step of steps) this.#take(step);
  }

  #take(step: Step): void {
    switch (step.kind) {
      case 'change':
        return this.#change(step.change);
      case 'split':
        return this.#split(step.action);
      case 'bar':
        return this.#see(step.bar);
      case 'mark':
        for (const [symbol, price] of step.mark.prices) this.#widen(symbol, toNumber(price), toNumber(price));
    }
  }

  #change(change: AccountChange): void {
    if (change.kind === 'writtenOff') return this.#writeOff(change);
    const moving = movingOf(change);
    const known = moving && (moving.strategyId === UNALLOCATED ? this.#known(moving) : moving);
    if (known) this.#move(known);
  }

  /** Part of a manual sell that covers shares bought manually: shares that the account held before have no cost. */
  #known(moving: Execution): Execution | null {
    if (moving.side === 'buy') return moving;
    const held = this.#open.get(keyOf(moving))?.trip.held ?? 0n;
    if (held === 0n) return null;
    const pay = moving.pay < held ? moving.pay : held;
    return { ...moving, pay, receive: (moving.receive * pay) / moving.pay };
  }

  #move(moving: Execution): void {
    const { at, side, pay, receive, fees } = moving;
    const key = keyOf(moving);
    const shares = toNumber(side === 'buy' ? receive : pay);
    const price = moving.price ?? toNumber(side === 'buy' ? pay : receive) / shares;
    const held = this.#open.get(key) ?? { ...NOWHERE, trip: tripFrom(at, 0, moving), bars: 0 };
    const { trip } = held;
    const isMore = side === 'buy' && trip.held > 0n;
    if (isMore || side === 'sell') reach(trip, held, price);
    trip.fees += fees;
    move(trip, side, { settlement: { pay, receive }, shares, price });
    if (isMore) reach(trip, NOWHERE, price);
    if (side === 'buy') Object.assign(held, NOWHERE);
    this.#open.set(key, held);
    if (trip.held <= 0n) this.#close(held, moving);
  }

  #close({ trip, bars }: OpenTrip, moved: Pick<Execution, 'strategyId' | 'symbol' | 'at'> & Why): void {
    const { strategyId, symbol, at, reason, tag } = moved;
    this.#open.delete(keyOf(moved));
    const owner = ownerName(strategyId);
    this.closed.push(tradeOf(trip, { strategyId: owner, symbol, at, place: bars, reason, tag }));
  }

  #writeOff({ at, strategyId, symbol }: AccountChange): void {
    if (symbol === null) return;
    const held = this.#open.get(keyOf({ strategyId, symbol }));
    if (!held) return;
    reach(held.trip, held, 0);
    writeOffTrip(held.trip);
    this.#close(held, { strategyId, symbol, at, reason: 'written off' });
  }

  #split(action: Split): void {
    const per = sharesPer(action);
    for (const [key, held] of this.#open) {
      if (!key.startsWith(`${action.symbol} `)) continue;
      splitTrip(held.trip, (quantity) => rescale(quantity, action), per);
      held.low /= per;
      held.high /= per;
    }
  }

  #see({ symbol, interval, low, high }: Bar): void {
    this.#widen(symbol, low, high);
    if (INTERVAL_MS[interval] > (this.#shortest.get(symbol) ?? 0)) return;
    for (const [key, held] of this.#open) if (key.startsWith(`${symbol} `)) held.bars++;
  }

  #widen(symbol: Ticker, low: number, high: number): void {
    for (const [key, held] of this.#open) {
      if (!key.startsWith(`${symbol} `)) continue;
      held.low = Math.min(held.low, low);
      held.high = Math.max(held.high, high);
    }
  }
}

const keyOf = ({ strategyId, symbol }: Pick<Execution, 'strategyId' | 'symbol'>): string =>
  `${symbol} ${strategyId}`;

/** Amounts of a fill, or of stock moved to or from a strategy; null for any other change. */
function movingOf(change: AccountChange): Execution | null {
  const { at, strategyId, symbol, cash, shares } = change;
  if (symbol === null) return null;
  if (change.kind === 'traded' && !change.deferred) {
    const { side, mintFee, protocolFee, reason, tag } = change;
    const [pay, receive] = side === 'buy' ? [-cash, shares] : [-shares, cash];
    const fees = mintFee + protocolFee;
    return { strategyId, symbol, at, side, pay, receive, fees, price: toNumber(change.price), reason, tag };
  }
  if (strategyId === UNALLOCATED || shares === 0n) return null;
  const common = { strategyId, symbol, at, fees: 0n, price: null };
  if (change.kind === 'paid')
    return { ...common, side: 'buy', pay: change.amount, receive: shares, reason: 'dividend' };
  if (change.kind !== 'flow') return null;
  const { value } = change;
  return shares > 0n
    ? { ...common, side: 'buy', pay: value, receive: shares, reason: 'moved in' }
    : { ...common, side: 'sell', pay: -shares, receive: -value, reason: 'moved out' };
}
