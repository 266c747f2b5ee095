import { formatDecimal, notionalOf, price as asPrice } from '../../core/amount.ts';
import { describeAction, wayOf, CASH_DIVIDENDS, type TokenPayment } from '../../domain/corporateAction.ts';
import type { AccountReport } from '../../domain/venue.ts';
import { asTokens, growthOf, tokenPayments, type Due } from '../account/dividends.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Dividends that an operator's word ends: what is booked, for people and for programs. */
export type AcceptedDividends = Readonly<{
  payments: readonly TokenPayment[];
  text: string;
  adoptions: readonly Readonly<Record<string, string>>[];
}>;

/**
 * Dividends of a stock as which what the venue has more than the ledger is booked, whatever it is worth: all that are due in tokens
 * together. Where it has no more, those that are late, which then end without any. Null for neither.
 */
export function acceptedDividends(
  context: EngineContext,
  asset: string,
  report: AccountReport,
): AcceptedDividends | null {
  const { accountState, calendar, market, now } = context;
  const { dividends = CASH_DIVIDENDS } = context.rules;
  const all = [...accountState.actions.unpaid]
    .filter(([, { action }]) => action.symbol === asset)
    .map(([id, due]): Due => ({ id, due, isBooked: true }));
  const [first] = all;
  if (!first) return null;
  const { symbol } = first.due.action;
  const growth = growthOf(context, report, symbol);
  if (!growth) return null;
  const isGrown = Object.values(growth).some((amount) => amount > 0n);
  const price = market.price(symbol);
  if (isGrown && (price === null || wayOf(dividends, symbol) !== 'tokens')) return null;
  const dues = all.filter(
    ({ due: { action } }) => isGrown || now > calendar.sessionFrom(action.payableDate ?? action.exDate).close,
  );
  if (dues.length === 0) return null;
  const own = dues.map((one) => asTokens(one, accountState.ledger, dividends));
  const payments = tokenPayments(own, { growth, price: price ?? asPrice(0n) });
  const names = dues.map(({ due }) => describeAction(due.action)).join('; ');
  return {
    payments,
    text: isGrown ? `it is the dividend: ${names}` : `nothing comes any more of: ${names}`,
    adoptions: payments.flatMap(({ parts, price: at }) =>
      parts.map(([owner, quantity]) => ({
        side: 'venue',
        asset,
        owner,
        amount: formatDecimal(quantity),
        value: formatDecimal(notionalOf(quantity, at, 'down')),
      })),
    ),
  };
}
