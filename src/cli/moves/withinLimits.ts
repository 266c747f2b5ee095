import { cash, formatDecimal, notionalOf } from '../../core/amount.ts';
import { SafetyError } from '../../core/errors.ts';
import { breachOf } from '../../domain/limits.ts';
import type { FeeSchedule } from '../../domain/documented.ts';
import type { OrderTerms, Side } from '../../domain/venue.ts';
import { bpsBySide } from '../../engine/feeSchedules.ts';
import type { Account } from './account.ts';
import type { Stock } from './market.ts';

/**
 * Of the config's limits those that one order can break by itself; the others look at a run.
 * @throws {SafetyError}
 */
export function requireWithinLimits(
  { terms, stock }: Readonly<{ terms: OrderTerms; stock: Stock }>,
  { clock, loaded }: Account,
): void {
  const { orderNotional, priceBandBps, quoteAgeMs } = loaded.config.limits;
  // What a market sell is worth only the venue's price tells.
  const byPrice = terms.type === 'market' && terms.side === 'sell';
  if (byPrice && orderNotional !== undefined && stock.price <= 0n)
    throw new SafetyError(
      `the venue tells no price of ${stock.symbol}, so the sell cannot be held against the limit of ` +
        `${formatDecimal(orderNotional)} (orderNotional). Nothing was sent`,
      { limit: 'orderNotional' },
    );
  const at = terms.type === 'limit' ? terms.price : stock.price;
  const notional = 'notional' in terms ? terms.notional : notionalOf(terms.quantity, at, 'up');
  const breach = breachOf(
    { terms, notional },
    { orderNotional, priceBandBps, ...(byPrice && { quoteAgeMs }) },
    {
      ...{ now: clock.now(), quote: { symbol: stock.symbol, price: stock.price, at: stock.pricedAt } },
      ...{ position: cash(0n), gross: cash(0n), unpriced: null, ordersLastMinute: 0, dayProfit: cash(0n) },
    },
  );
  if (breach) throw new SafetyError(`${breach.message}. Nothing was sent`, { limit: breach.limit });
}

/** @throws {SafetyError} where the fees that the venue states for a side are above `limits.feeBps` */
export function requireFeesWithinLimit(side: Side, fees: FeeSchedule, { loaded }: Account): void {
  const { feeBps } = loaded.config.limits;
  const bps = bpsBySide(fees)[side];
  if (bps <= feeBps) return;
  throw new SafetyError(
    `the venue states fees of ${bps} bps for a ${side}, over the limit of ${feeBps} (limits.feeBps). Nothing was sent. To pay ` +
      'them, raise limits.feeBps',
    { limit: 'feeBps' },
  );
}
