import { cash, type Cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Change, Positions } from '../account/positions.ts';
import type { Settlement } from '../venue.ts';
import { Exits } from './exits.ts';
import { isDeferred, type Order } from './order.ts';
import { Turnover } from './orderActivity.ts';
import { settledAmounts } from './settlementRules.ts';

type BookedEnd = Readonly<{ at: EpochMs; change: Change | null }>;

/** Settled orders, as counted by positions and by the limits on turnover and losing exits. */
export class SettledTrades {
  readonly turnover = new Turnover();
  readonly exits = new Exits();
  /** Proceeds of deferred sells in mUSD: wallet stock turned into cash, which is not a profit. */
  deferredProceeds = cash(0n);
  readonly #positions: Positions;

  constructor(positions: Positions) {
    this.#positions = positions;
  }

  /**
   * Books a settled order. Returns the change of its position; null for a deferred sell, which changes none: its
   * proceeds are capital that comes from the wallet.
   */
  settle({ strategyId, terms }: Order, settlement: Settlement, at: EpochMs): Change | null {
    const { symbol, side } = terms;
    const { pay, receive } = settlement;
    this.turnover.note(strategyId, settledAmounts(terms, settlement).notional);
    if (isDeferred(terms)) {
      this.deferredProceeds = cash(this.deferredProceeds + receive);
      return null;
    }
    const change = this.#positions.settle({ strategyId, symbol, side, pay, receive });
    if (side === 'buy') this.exits.bought(strategyId, symbol);
    else this.exits.sold({ strategyId, symbol, realised: realisedBy(change) }, at);
    return change;
  }

  /** Reverses a settlement, booked `at` a time, that a chain reorganisation has undone. `change`: as `settle` returned it. */
  takeBack({ strategyId, terms }: Order, settlement: Settlement, { at, change }: BookedEnd): void {
    const { symbol, side } = terms;
    this.turnover.takeBack(strategyId, settledAmounts(terms, settlement).notional, at);
    if (isDeferred(terms)) {
      this.deferredProceeds = cash(this.deferredProceeds - settlement.receive);
      return;
    }
    if (!change) return;
    this.#positions.undo({ strategyId, symbol }, change);
    if (side === 'sell') this.exits.takeBack({ strategyId, symbol, realised: realisedBy(change) });
  }
}

const realisedBy = ({ before, after }: Change): Cash => cash(after.realised - before.realised);
