import { cash, type Cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import { UNALLOCATED } from '../account/ledger.ts';
import type { Side } from '../venue.ts';

/**
 * Exit of a position: its sells since the last buy. `number`: how many had begun, itself included; `realised`: what they have brought
 * above their cost, fees included.
 */
export type Exit = Readonly<{ number: number; symbol: Ticker; at: EpochMs; realised: Cash }>;

/** Settlement of an order. `realised`: change of the position's realised profit. */
type SettledTrade = Readonly<{ strategyId: string; symbol: Ticker; side: Side; realised: Cash }>;

/** Exits of strategies, for the pauses after losses: the latest of each stock, and those since the last one without a loss. */
export class Exits {
  /** Exits since the last one without a loss, oldest first; by strategy, those of all under the empty one. */
  private readonly streaks = new Map<string, Exit[]>();
  /** Exits that further sells belong to, by strategy and symbol. */
  private readonly open = new Map<string, Exit>();
  /** Latest losing exit by strategy and symbol, and by symbol alone. */
  private readonly losses = new Map<string, Exit>();
  private begun = 0;

  /** Notes a settlement. Orders by hand on unallocated stock are no exits. */
  note({ strategyId, symbol, side, realised }: SettledTrade, at: EpochMs): void {
    if (strategyId === UNALLOCATED) return;
    const key = keyOf(symbol, strategyId);
    if (side === 'buy') {
      if (this.open.size > 0) this.open.delete(key);
      return;
    }
    const before = this.open.get(key);
    const exit = before ?? { number: ++this.begun, symbol, at, realised: cash(0n) };
    if (!before) this.#begin(exit, strategyId);
    this.#put({ ...exit, at, realised: cash(exit.realised + realised) }, strategyId, true);
  }

  /** Takes back the settlement of a sell that a reorganisation of the chain has undone. */
  takeBack({ strategyId, symbol, realised }: Omit<SettledTrade, 'side'>): void {
    const exit = this.open.get(keyOf(symbol, strategyId));
    if (exit) this.#put({ ...exit, realised: cash(exit.realised - realised) }, strategyId, false);
  }

  /** Exits of a strategy, or of all, since the last one without a loss. Some at the end may have none. */
  of(strategyId: string = UNALLOCATED): readonly Exit[] {
    return this.streaks.get(strategyId) ?? NONE;
  }

  /** Latest exit of a stock at a loss, of a strategy or of any. */
  lossOf(symbol: Ticker, strategyId?: string): Exit | undefined {
    const exit = this.losses.get(keyOf(symbol, strategyId));
    return exit && exit.realised < 0n ? exit : undefined;
  }

  #begin(exit: Exit, strategyId: string): void {
    for (const owner of [strategyId, UNALLOCATED]) {
      const before = this.streaks.get(owner) ?? [];
      const last = before.findLastIndex(({ realised }) => realised >= 0n);
      this.streaks.set(owner, [...before.slice(last + 1), exit]);
    }
  }

  /** Puts an exit as it is now wherever it was. `isSettled`: by a settlement, which may make it the latest loss. */
  #put(exit: Exit, strategyId: string, isSettled: boolean): void {
    const key = keyOf(exit.symbol, strategyId);
    this.open.set(key, exit);
    for (const owner of [strategyId, UNALLOCATED]) {
      const streak = this.streaks.get(owner) ?? [];
      const place = streak.findLastIndex(({ number }) => number === exit.number);
      if (place >= 0) streak[place] = exit;
    }
    for (const name of [key, keyOf(exit.symbol)])
      if ((isSettled && exit.realised < 0n) || this.losses.get(name)?.number === exit.number)
        this.losses.set(name, exit);
  }
}

const NONE: readonly Exit[] = [];

const keyOf = (symbol: Ticker, strategyId: string = UNALLOCATED): string => `${symbol} ${strategyId}`;
