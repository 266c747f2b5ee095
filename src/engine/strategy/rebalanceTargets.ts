import type { Ticker } from '../../domain/instrument.ts';
import type { OrderIntent, Rest } from '../../domain/orders/orderIntent.ts';
import type { OpenIntents } from '../intents/intents.ts';
import { refuse } from '../intents/refusal.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { equityOf, onTheWay, worth } from '../state/exposure.ts';

/** Strategy of a rebalance. `known`: symbols of its `data`; `rest`: what call or config say of stocks without a weight. */
type Owner = Readonly<{ strategyId: string; known: ReadonlySet<string>; rest: Rest | undefined }>;

/** Target of one stock. `excess`: mUSD held above it, including buys under way; negative if below. */
type StockTarget = Readonly<{ symbol: string; weight: number; excess: number }>;

/**
 * Targets of a rebalance, largest sell first: its weights, and 0 for stocks without a weight if the rest is sold.
 * Reports once if the rest is sold although neither the call nor the config says so.
 * @throws {OrderRefusal} if a state folder of 0.8.0 or earlier does not specify what happens to the rest
 */
export function targetsOf(
  context: EngineContext,
  weights: Readonly<Record<string, number>>,
  { strategyId, known, rest: chosen }: Owner,
): readonly StockTarget[] {
  const omitted = omittedBy(context, weights, { strategyId, known });
  const rest = omitted.length === 0 ? 'keep' : context.precedents.restOf(chosen);
  if (rest === null)
    refuse(
      'REST_UNSAID',
      `the weights omit ${omitted.join(', ')}, which versions before 0.9.0 kept, and which a new state folder sells. ` +
        "Say it: rest: 'sell' or rest: 'keep' in order.rebalance, or rest in this strategy's entry of the config",
    );
  if (rest === 'sell' && chosen === undefined) noteSale(context, strategyId, omitted);
  const all = rest === 'sell' ? [...Object.keys(weights), ...omitted] : Object.keys(weights);
  const equity = Number(equityOf(context, strategyId));
  const { ledger, open } = context.accountState;
  return all
    .map((symbol) => {
      const [weight, stock] = [weights[symbol] ?? 0, symbol as Ticker];
      const buys = open
        .inSymbol(stock)
        .filter((order) => order.strategyId === strategyId && order.terms.side === 'buy');
      const coming = context.precedents.countsBuys ? onTheWay(context, buys) : 0n;
      const value = Number(worth(context, stock, ledger.held(strategyId, stock) + coming));
      return { symbol, weight, excess: value - weight * equity };
    })
    .sort((a, b) => b.excess - a.excess);
}

/** Stocks of `data` without a weight that the strategy holds or is still buying for a target. */
function omittedBy(
  { accountState }: EngineContext,
  weights: Readonly<Record<string, number>>,
  { strategyId, known }: Pick<Owner, 'strategyId' | 'known'>,
): string[] {
  const aimedAt = new Set<string>();
  for (const intent of accountState.intents.values())
    if (intent.strategyId === strategyId && intent.terms.kind === 'target') aimedAt.add(intent.symbol);
  return [...known].filter(
    (symbol) =>
      !Object.hasOwn(weights, symbol) &&
      (aimedAt.has(symbol) || accountState.ledger.held(strategyId, symbol as Ticker) > 0n),
  );
}

const noteSale = (context: EngineContext, strategyId: string, omitted: readonly string[]): void => {
  if (context.restNoted.has(strategyId)) return;
  context.restNoted.add(strategyId);
  context.notify(
    'info',
    `order.rebalance sells ${omitted.join(', ')}, which its weights omit. { rest: 'keep' } keeps such stocks, { rest: 'sell' } says that this is intended`,
    strategyId,
  );
};

/** Intents with market sells of a strategy under way, whose proceeds the buys of a rebalance also wait for. */
export const sellsUnderWay = ({ accountState }: EngineContext, strategyId: string): string[] =>
  [...accountState.live.values()]
    .filter(
      (order) =>
        order.strategyId === strategyId && order.terms.side === 'sell' && order.terms.type === 'market',
    )
    .map(({ intentId }) => intentId);

/** Ends a waiting target of the same stock and strategy, because a newer one replaces it. */
export function endWaitingTarget(
  { accountState }: EngineContext,
  intents: OpenIntents,
  { strategyId, symbol }: Pick<OrderIntent, 'strategyId' | 'symbol'>,
): void {
  for (const intent of [...accountState.intents.values()]) {
    const isSame =
      intent.strategyId === strategyId && intent.symbol === symbol && intent.terms.kind === 'target';
    if (isSame && !accountState.open.has(intent.id))
      intents.end(intent.id, 'cancelled', { code: 'REPLACED', why: 'a newer target took its place' });
  }
}
