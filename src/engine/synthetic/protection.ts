import { formatDecimal } from '../../core/amount.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { SyntheticOrder, SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { leftToSell } from './exit.ts';
import { SyntheticInput } from './syntheticInput.ts';

/** True for an order that sells what is held, or what its entry has bought. */
const isExit = ({ terms }: SyntheticOrder): boolean => terms.kind !== 'stopBuy';

/**
 * Refuses an exit for more than its strategy holds beside what its other exits protect: two exits of the same shares are as bad as a
 * duplicated order. @throws {InvalidValueError} naming both amounts
 */
export function requireUnprotected(context: EngineContext, order: SyntheticOrder): void {
  const { terms, strategyId, symbol } = order;
  if (!('quantity' in terms) || terms.kind === 'stopBuy') return;
  const { ledger, synthetics } = context.accountState;
  const held = ledger.held(strategyId, symbol);
  const others: SyntheticState[] = [...synthetics.inSymbol(symbol)]
    .map((id) => synthetics.of(id))
    .filter((state) => state.order.strategyId === strategyId && isExit(state.order));
  let taken = 0n;
  for (const state of others) taken += leftToSell(state, new SyntheticInput(context, state));
  const wanted = terms.quantity === 'all' ? held : terms.quantity;
  if (wanted > 0n && wanted + taken <= held) return;
  const rest = held > taken ? held - taken : 0n;
  const beside = taken === 0n ? '' : `, of which other exits protect ${formatDecimal(taken)}`;
  throw new InvalidValueError(
    `order.${terms.kind} of ${symbol}: ${formatDecimal(wanted)} to protect, but ${formatDecimal(held)} are held${beside}: ` +
      `at most ${formatDecimal(rest)} are left`,
  );
}
