import { formatDecimal, shares, type Shares } from '../../core/amount.ts';
import type { SyntheticOrder, SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import { refuse } from '../intents/refusal.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { leftToSell } from './exit.ts';
import { SyntheticInput } from './syntheticInput.ts';
import { sharesToSell } from './workSlice.ts';

/** True for an order that sells shares already held, or those bought by its own entry. */
const sells = ({ terms }: SyntheticOrder): boolean =>
  terms.kind === 'work' ? terms.side === 'sell' : terms.kind !== 'stopBuy';

/** Shares that an order still has to sell; none if it is ending, since the same hook may replace it. */
function claimOf(context: EngineContext, state: SyntheticState): Shares {
  if (state.ending) return shares(0n);
  return state.order.terms.kind === 'work'
    ? sharesToSell(state, state.order.terms)
    : leftToSell(state, new SyntheticInput(context, state));
}

/** Held shares that a new order would sell; null for an order that sells none. */
function wantedOf({ terms }: SyntheticOrder, held: bigint): bigint | null {
  if (terms.kind === 'work')
    return terms.side === 'sell' && 'quantity' in terms.total ? terms.total.quantity : null;
  if (!('quantity' in terms) || terms.kind === 'stopBuy') return null;
  return terms.quantity === 'all' ? held : terms.quantity;
}

/**
 * Refuses an exit for more shares than the strategy holds beyond those its other exits protect: two exits for the same
 * shares are as bad as a duplicated order. @throws {OrderRefusal} naming both amounts
 */
export function requireUnprotected(context: EngineContext, order: SyntheticOrder): void {
  const { terms, strategyId, symbol } = order;
  const { ledger, synthetics } = context.accountState;
  const held = ledger.held(strategyId, symbol);
  const wanted = wantedOf(order, held);
  if (wanted === null) return;
  const others: SyntheticState[] = [...synthetics.inSymbol(symbol)]
    .map((id) => synthetics.of(id))
    .filter((state) => state.order.strategyId === strategyId && sells(state.order));
  let taken = 0n;
  for (const state of others) taken += claimOf(context, state);
  if (wanted > 0n && wanted + taken <= held) return;
  refuse('NO_SHARES', `order.${terms.kind} of ${symbol}: ${refusal(order, { wanted, held, taken })}`);
}

type Amounts = Readonly<{ wanted: bigint; held: bigint; taken: bigint }>;

/** Reason for refusing an exit: both amounts, and what to do. */
function refusal({ terms, strategyId, symbol }: SyntheticOrder, { wanted, held, taken }: Amounts): string {
  const verb = terms.kind === 'work' ? 'sell' : 'protect';
  if (held === 0n) {
    const what = wanted === 0n ? `nothing to ${verb}:` : `${formatDecimal(wanted)} to ${verb}, but`;
    return (
      `${what} 0 are held by ${strategyId}. What a purchase brings is held once onFill has reported it; ` +
      'order.bracket buys and protects in one'
    );
  }
  const rest = held > taken ? held - taken : 0n;
  const beside = taken === 0n ? '' : `, of which other exits and working orders sell ${formatDecimal(taken)}`;
  const remedy =
    taken === 0n ? '' : `. Cancel one of them first: view.orders(${JSON.stringify(symbol)}) has their ids`;
  return `${formatDecimal(wanted)} to ${verb}, but ${formatDecimal(held)} are held${beside}: at most ${formatDecimal(rest)} are left${remedy}`;
}
