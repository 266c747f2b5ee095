import { cash, type Cash } from '../../core/amount.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import { UNALLOCATED } from '../account/ledger.ts';
import type { Side } from '../venue.ts';

/**
 * Exit of a position: its sells since the last buy. `number`: how many had begun, itself included; `realised`: what they have brought
 * above their cost, fees included.
 */
export type Exit = {
  readonly number: number;
  readonly symbol: Ticker;
  at: EpochMs;
  realised: Cash;
};

/** Settlement of an order. `realised`: change of the position's realised profit. */
type SettledTrade = Readonly<{
  strategyId: string;
  symbol: Ticker;
  side: Side;
  realised: Cash;
}>;

/** Time in ms for which exits are kept: twice the longest pause, because those within one do not count. */
const KEPT_MS = 14 * DAY_MS;

/** Exits of strategies, for the pauses after losses: the latest of each stock, and those in a row. */
export class Exits {
  /** Exits of `KEPT_MS`, and since the last one without a loss, in the order of their last sells; of all under the empty one. */
  private readonly streaks = new Map<string, Exit[]>();
  /** Exits that further sells belong to, by strategy and symbol. */
  private readonly open = new Map<string, Exit | null>();
  /** Latest losing exit by strategy and symbol, and by symbol alone. */
  private readonly losses = new Map<string, Exit>();
  private begun = 0;

  /** Notes a settlement. Orders by hand on unallocated stock are no exits. */
  note({ strategyId, symbol, side, realised }: SettledTrade, at: EpochMs): void {
    if (strategyId === UNALLOCATED) return;
    const key = keyOf(symbol, strategyId);
    if (side === 'buy') {
      if (this.open.get(key)) this.open.set(key, null);
      return;
    }
    const exit = this.open.get(key) ?? { number: ++this.begun, symbol, at, realised: cash(0n) };
    this.open.set(key, exit);
    exit.at = at;
    exit.realised = cash(exit.realised + realised);
    for (const owner of [strategyId, UNALLOCATED]) {
      this.#putLast(exit, owner);
      this.#noteLoss(exit, owner);
    }
  }

  /** Puts an exit behind those whose last sell was before, and forgets what neither counts nor has a pause any more. */
  #putLast(exit: Exit, owner: string): void {
    const streak = this.streaks.get(owner) ?? [];
    const place = streak.lastIndexOf(exit);
    if (place >= 0) streak.splice(place, 1);
    const recent = streak.findIndex(({ at }) => at > exit.at - KEPT_MS);
    const over = streak.findLastIndex(({ realised }) => realised >= 0n) + 1;
    streak.splice(0, recent < 0 ? over : Math.min(over, recent));
    streak.push(exit);
    this.streaks.set(owner, streak);
  }

  /** Keeps an exit as the latest loss of its stock, or puts the one before in its place once it has become none. */
  #noteLoss(exit: Exit, owner: string): void {
    const key = keyOf(exit.symbol, owner);
    if (exit.realised < 0n) return void this.losses.set(key, exit);
    if (this.losses.get(key) !== exit) return;
    const isOther = (one: Exit) => one !== exit && one.symbol === exit.symbol && one.realised < 0n;
    const before = this.of(owner).findLast(isOther);
    if (before) this.losses.set(key, before);
  }

  /** Takes back the settlement of a sell that a reorganisation of the chain has undone. */
  takeBack({ strategyId, symbol, realised }: Omit<SettledTrade, 'side'>): void {
    const exit = this.open.get(keyOf(symbol, strategyId));
    if (exit) exit.realised = cash(exit.realised - realised);
  }

  /** Makes one of each exit again, as further sells change it wherever it is. Call once texts of them were put in place. */
  relink(): void {
    const byNumber = new Map<number, Exit>();
    const same = (exit: Exit): Exit => {
      const one = byNumber.get(exit.number) ?? exit;
      byNumber.set(exit.number, one);
      return one;
    };
    for (const [key, exit] of this.open) this.open.set(key, exit && same(exit));
    for (const [key, exit] of this.losses) this.losses.set(key, same(exit));
    for (const [owner, streak] of this.streaks) this.streaks.set(owner, streak.map(same));
  }

  /** Exits of a strategy, or of all, that may count or have brought a pause: the latest is the last. */
  of(strategyId: string = UNALLOCATED): readonly Exit[] {
    return this.streaks.get(strategyId) ?? NONE;
  }

  /** Latest exit of a stock at a loss, of a strategy or of any. */
  lossOf(symbol: Ticker, strategyId?: string): Exit | undefined {
    const exit = this.losses.get(keyOf(symbol, strategyId));
    return exit && exit.realised < 0n ? exit : undefined;
  }
}

const NONE: readonly Exit[] = [];

const keyOf = (symbol: Ticker, strategyId: string = UNALLOCATED): string => `${symbol} ${strategyId}`;
