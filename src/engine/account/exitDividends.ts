import { price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { counted } from '../../core/counted.ts';
import { describeAction, type Payment } from '../../domain/corporateAction.ts';
import { FINE_PRICE_STEP } from '../../domain/instrument.ts';
import { hasPricedStop } from '../../domain/orders/syntheticOrder.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** `begins`: start of its ex-date. */
type ExDate = Readonly<{ id: string; action: Payment; begins: EpochMs }>;

/** Lowers stops given before an ex-date by the dividend that the price loses, once each, if the config says so. */
export function lowerStops(context: EngineContext, { id, action, begins }: ExDate): void {
  const { rules, accountState } = context;
  if (rules.exitDividends !== 'adjust') return;
  const event = { kind: 'dividend', id, amount: price(action.perShare) } as const;
  let moved = 0;
  for (const held of [...accountState.synthetics.inSymbol(action.symbol)]) {
    const { order, trigger, ending, dividends } = accountState.synthetics.of(held);
    if (order.at >= begins || trigger || ending || dividends?.ids.includes(id)) continue;
    if (!hasPricedStop(order.terms)) continue;
    moved++;
    context.record({ kind: 'syntheticMoved', id: held, event });
    const { stop } = accountState.synthetics.of(held);
    if (stop === null || stop > FINE_PRICE_STEP) continue;
    const text = `the stop of ${held} was no higher than the dividend and protects nothing any more (${describeAction(action)}): give it another`;
    context.notify('alarm', text, { code: 'PROTECTION_REFUSED', symbol: action.symbol });
  }
  if (moved === 0) return;
  const are = moved === 1 ? 'is' : 'are';
  const text = `${counted(moved, 'stop')} of ${action.symbol} ${are} lower: ${describeAction(action)}`;
  context.notify('account', text);
}
