import { formatDecimal } from '../core/amount.ts';
import { filledOf, type Order } from '../domain/order.ts';
import { describeTerms } from './describe.ts';
import type { Desk } from './desk.ts';

/** Tells a person what became of an order. */
export function narrateOrder(desk: Desk, before: Order, { owner, state, terms, ...order }: Order): void {
  if (before.state.kind === state.kind) return;
  const what = describeTerms(terms);
  switch (state.kind) {
    case 'sent':
      return desk.tell('sent', what, owner);
    case 'working':
      return desk.tell('info', `${what}: rests at the venue`, owner);
    case 'closed': {
      if (state.settlement && state.settlement.receive > 0n) {
        const { price, pay, receive } = state.settlement;
        const moved =
          terms.side === 'buy' ? `paid ${formatDecimal(pay)}` : `received ${formatDecimal(receive)}`;
        const shares = filledOf({ ...order, owner, state, terms });
        const part = state.how === 'filled' ? '' : `, then ${state.how}`;
        return desk.tell(
          'fill',
          `${terms.side === 'buy' ? 'bought' : 'sold'} ${formatDecimal(shares)} ${terms.symbol} at ${formatDecimal(price)}, ${moved}${part}`,
          owner,
        );
      }
      return desk.tell('end', `${what}: ${state.how}`, owner);
    }
    case 'reverted':
      return desk.tell('alarm', `${what}: reverted on chain${state.cause ? `, ${state.cause}` : ''}`, owner);
    default:
  }
}
