import { cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Change } from '../account/positions.ts';
import type { Settlement } from '../venue.ts';
import { Exits } from './exits.ts';
import type { Order } from './order.ts';
import { Turnover } from './orderActivity.ts';
import { settledAmounts } from './settlementRules.ts';

type Noted = Readonly<{ settlement: Settlement; change: Change; at: EpochMs }>;

/** Settled orders, as the limits on turnover and on losing exits count them. */
export class SettledTrades {
  readonly turnover = new Turnover();
  readonly exits = new Exits();

  note({ strategyId, terms }: Order, { settlement, change: { before, after }, at }: Noted): void {
    this.turnover.note(strategyId, settledAmounts(terms, settlement).notional);
    const realised = cash(after.realised - before.realised);
    this.exits.note({ strategyId, symbol: terms.symbol, side: terms.side, realised }, at);
  }

  /** Takes back a settlement that a reorganisation of the chain has undone. */
  takeBack({ strategyId, terms }: Order, settlement: Settlement, { before, after }: Change): void {
    this.turnover.note(strategyId, -settledAmounts(terms, settlement).notional);
    const realised = cash(after.realised - before.realised);
    if (terms.side === 'sell') this.exits.takeBack({ strategyId, symbol: terms.symbol, realised });
  }
}
