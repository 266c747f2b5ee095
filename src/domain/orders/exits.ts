import { cash, type Cash } from '../../core/amount.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import { UNALLOCATED } from '../account/ledger.ts';

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

/** Settlement of a sell. `realised`: change of the position's realised profit. */
type SettledSell = Readonly<{ strategyId: string; symbol: Ticker; realised: Cash }>;

/** Time in ms for which exits are kept: twice the longest pause, because those within one do not count. */
const KEPT_MS = 14 * DAY_MS;

/** Number of an owner's exits from which forgetting some is worthwhile. */
const SWEPT_FROM = 64;

/** Exits of one owner: a strategy, or all of them. */
type OwnExits = {
  /** Exits of `KEPT_MS` at least, and since the last one without a loss, in the order of their last sells. */
  streak: Exit[];
  /** Length of it at which those that are over are forgotten: a look at each sell would cost more than the sell. */
  sweepAt: number;
  /** Latest losing exit of each stock. */
  readonly losses: Map<Ticker, Exit>;
  /** Exit of each stock that further sells belong to. */
  readonly open: Map<Ticker, Exit | null>;
};

/** Exits of strategies, for the pauses after losses: the latest of each stock, and those in a row. */
export class Exits {
  /** Exits by strategy; those of all under the empty one. */
  private readonly owners = new Map<string, OwnExits>();
  private begun = 0;

  /** Notes the settlement of a buy: the next sell begins an exit. */
  bought(strategyId: string, symbol: Ticker): void {
    const open = this.owners.get(strategyId)?.open;
    if (open?.get(symbol)) open.set(symbol, null);
  }

  /** Notes the settlement of a sell. Manual orders on unallocated stock are no exits. */
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

  /** Takes back the settlement of a sell that a reorganisation of the chain has undone. */
  takeBack({ strategyId, symbol, realised }: SettledSell): void {
    const exit = this.owners.get(strategyId)?.open.get(symbol);
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
    for (const own of this.owners.values()) {
      for (const [symbol, exit] of own.open) own.open.set(symbol, exit && same(exit));
      for (const [symbol, exit] of own.losses) own.losses.set(symbol, same(exit));
      own.streak = own.streak.map(same);
    }
  }

  /** Exits of a strategy, or of all, that may count or caused a pause, oldest first. */
  of(strategyId: string = UNALLOCATED): readonly Exit[] {
    return this.owners.get(strategyId)?.streak ?? NONE;
  }

  /** Latest exit of a stock at a loss, of a strategy or of any. */
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

/** Puts an exit behind those whose last sell was before, and keeps it as the latest loss of its stock. */
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

/** Forgets the exits that no longer count and no longer cause a pause. */
function forgetOver(streak: Exit[], now: EpochMs): void {
  const recent = streak.findIndex(({ at }) => at > now - KEPT_MS);
  const over = streak.findLastIndex(({ realised }) => realised >= 0n) + 1;
  streak.splice(0, recent < 0 ? over : Math.min(over, recent));
}

/** Puts the loss before in the place of an exit that has become none. */
function findLossBefore(exit: Exit, { streak, losses }: OwnExits): void {
  const isOther = (one: Exit) => one !== exit && one.symbol === exit.symbol && one.realised < 0n;
  const before = streak.findLast(isOther);
  if (before) losses.set(exit.symbol, before);
}
