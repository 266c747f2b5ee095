import { cash, type Cash } from '../../core/amount.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import { UNALLOCATED } from '../account/ledger.ts';

/**
 * Exit of a position: its sells since the last buy. `number`: how many exits had begun, including this one; `realised`:
 * its proceeds above cost, after fees.
 */
export type Exit = {
  readonly number: number;
  readonly symbol: Ticker;
  at: EpochMs;
  realised: Cash;
};

/** Settlement of a sell. `realised`: change of the position's realised profit. */
type SettledSell = Readonly<{ strategyId: string; symbol: Ticker; realised: Cash }>;

/** Time in ms for which exits are kept: twice the longest pause, because exits during a pause do not count. */
const KEPT_MS = 14 * DAY_MS;

/** Number of an owner's exits from which it is worth forgetting some. */
const SWEPT_FROM = 64;

/** Exits of one owner: a strategy, or all strategies together. */
type OwnExits = {
  /** Exits at least as recent as `KEPT_MS`, and all since the last one without a loss, ordered by their last sells. */
  streak: Exit[];
  /** Length of the streak at which old exits are dropped: doing so at every sell would cost more than the sell. */
  sweepAt: number;
  /** Latest losing exit of each stock. */
  readonly losses: Map<Ticker, Exit>;
  /** Exit of each stock that further sells belong to. */
  readonly open: Map<Ticker, Exit | null>;
};

/** Exits of strategies, for the pauses after losses: the latest one per stock, and the consecutive ones. */
export class Exits {
  /** Exits by strategy; those of all strategies have the empty key. */
  private readonly owners = new Map<string, OwnExits>();
  private begun = 0;

  /** Records the settlement of a buy: the next sell begins a new exit. */
  bought(strategyId: string, symbol: Ticker): void {
    const open = this.owners.get(strategyId)?.open;
    if (open?.get(symbol)) open.set(symbol, null);
  }

  /** Records the settlement of a sell. Manual orders on unallocated stock do not count as exits. */
  sold({ strategyId, symbol, realised }: SettledSell, at: EpochMs): void {
    if (strategyId === UNALLOCATED) return;
    const own = this.#own(strategyId);
    const known = own.open.get(symbol) ?? null;
    const exit = known ?? { number: ++this.begun, symbol, at, realised: cash(0n) };
    if (!known) own.open.set(symbol, exit);
    exit.at = at;
    exit.realised = cash(exit.realised + realised);
    putLast(exit, own, !known);
    putLast(exit, this.#own(UNALLOCATED), !known);
  }

  /** Reverses the settlement of a sell that a chain reorganisation has undone. */
  takeBack({ strategyId, symbol, realised }: SettledSell): void {
    const exit = this.owners.get(strategyId)?.open.get(symbol);
    if (exit) exit.realised = cash(exit.realised - realised);
  }

  /** Restores one shared object per exit, since later sells change it wherever it is listed. Call after restoring. */
  relink(): void {
    const byNumber = new Map<number, Exit>();
    const same = (exit: Exit): Exit => {
      const one = byNumber.get(exit.number) ?? exit;
      byNumber.set(exit.number, one);
      return one;
    };
    for (const own of this.owners.values()) {
      for (const [symbol, exit] of own.open) own.open.set(symbol, exit && same(exit));
      for (const [symbol, exit] of own.losses) own.losses.set(symbol, same(exit));
      own.streak = own.streak.map(same);
    }
  }

  /** Exits of a strategy, or of all, that may count or have caused a pause, oldest first. */
  of(strategyId: string = UNALLOCATED): readonly Exit[] {
    return this.owners.get(strategyId)?.streak ?? NONE;
  }

  /** Latest losing exit of a stock, of a strategy or of any. */
  lossOf(symbol: Ticker, strategyId: string = UNALLOCATED): Exit | undefined {
    const exit = this.owners.get(strategyId)?.losses.get(symbol);
    return exit && exit.realised < 0n ? exit : undefined;
  }

  #own(owner: string): OwnExits {
    let own = this.owners.get(owner);
    if (!own)
      this.owners.set(owner, (own = { streak: [], sweepAt: SWEPT_FROM, losses: new Map(), open: new Map() }));
    return own;
  }
}

const NONE: readonly Exit[] = [];

/** Puts an exit after those with earlier last sells, and records it as the latest loss of its stock. */
function putLast(exit: Exit, own: OwnExits, isNew: boolean): void {
  const { streak } = own;
  const place = isNew ? -1 : streak.lastIndexOf(exit);
  if (place >= 0) streak.splice(place, 1);
  streak.push(exit);
  if (streak.length >= own.sweepAt) {
    forgetOver(streak, exit.at);
    own.sweepAt = Math.max(SWEPT_FROM, 2 * streak.length);
  }
  if (exit.realised < 0n) own.losses.set(exit.symbol, exit);
  else if (own.losses.get(exit.symbol) === exit) findLossBefore(exit, own);
}

/** Drops exits that no longer count or cause a pause. */
function forgetOver(streak: Exit[], now: EpochMs): void {
  const recent = streak.findIndex(({ at }) => at > now - KEPT_MS);
  const over = streak.findLastIndex(({ realised }) => realised >= 0n) + 1;
  streak.splice(0, recent < 0 ? over : Math.min(over, recent));
}

/** Replaces an exit that is no longer a loss by the previous loss of its stock. */
function findLossBefore(exit: Exit, { streak, losses }: OwnExits): void {
  const isOther = (one: Exit) => one !== exit && one.symbol === exit.symbol && one.realised < 0n;
  const before = streak.findLast(isOther);
  if (before) losses.set(exit.symbol, before);
}
