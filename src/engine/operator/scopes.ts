import { suggest } from '../../core/suggest.ts';
import type { Refusal } from '../../domain/operator/command.ts';
import { covers } from '../../domain/operator/tradingState.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { Scope } from '../../domain/operator/restriction.ts';

/** Strategies of the run, and the symbols they use. */
export type ScopeNames = Readonly<{ strategies: readonly string[]; symbols: ReadonlySet<string> }>;

export const usage = (text: string): Refusal => ({ kind: 'refused', because: 'usage', text });
export const unsafe = (text: string): Refusal => ({ kind: 'refused', because: 'safety', text });

/** Refusal of a scope with an unknown strategy or symbol; null if both exist. */
export function unknownScope(
  { accountState }: EngineContext,
  { strategyId, symbol }: Scope,
  known: ScopeNames,
): Refusal | null {
  const strategies = [...new Set([...known.strategies, ...accountState.allocations.keys()])];
  if (strategyId !== undefined && !strategies.includes(strategyId))
    return usage(
      unknownText(`no strategy ${strategyId} is in this run`, { name: strategyId, known: strategies }),
    );
  if (symbol === undefined) return null;
  const symbols = new Set<string>([...known.symbols, ...accountState.ledger.assets]);
  for (const intent of accountState.intents.values()) symbols.add(intent.symbol);
  symbols.delete('mUSD');
  if (symbols.has(symbol)) return null;
  return usage(
    unknownText(`no strategy asks for ${symbol}, and none is held`, { name: symbol, known: [...symbols] }),
  );
}

/** Text of a refusal that suggests the intended name, or else lists the known ones. `effect`: what came of it. */
export function unknownText(
  problem: string,
  { name, known }: Readonly<{ name: string; known: readonly string[] }>,
  effect = 'Nothing was changed',
): string {
  const suggestion = suggest(name, known);
  if (suggestion !== undefined) return `${problem}. Did you mean ${suggestion}? ${effect}`;
  const list = known.length === 0 ? 'there are none' : `known are ${known.slice(0, 20).join(', ')}`;
  return `${problem}: ${list}. ${effect}`;
}

/** Orders in a scope that have not ended. */
export const ordersIn = ({ accountState }: EngineContext, scope: Scope): readonly Order[] =>
  [...accountState.live.values()].filter(({ strategyId, terms }) =>
    covers(scope, { strategyId, symbol: terms.symbol }),
  );

/** Intents without an order, in a scope. */
export const waitingIn = ({ accountState }: EngineContext, scope: Scope): readonly OrderIntent[] =>
  [...accountState.intents.values()].filter(
    (intent) => covers(scope, intent) && !accountState.open.has(intent.id),
  );

/** Synthetic orders in a scope. */
export const heldIn = (
  { accountState: { synthetics } }: EngineContext,
  scope: Scope,
): readonly SyntheticState[] =>
  synthetics.live.size === 0 ? [] : [...synthetics.live.values()].filter(({ order }) => covers(scope, order));
