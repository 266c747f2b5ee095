import type { AccountState } from '../../domain/account/accountState.ts';
import type { KnownCommand } from '../../domain/operator/command.ts';
import { describeScope, isRun } from '../../domain/operator/tradingState.ts';
import type { EndCode, EndReason } from '../../domain/orders/endCode.ts';
import { isDeferred, type Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { isProtective } from './sizeCuts.ts';
import type { Restriction } from '../../domain/operator/restriction.ts';

/** Reason why an order is not placed: trading of its strategy or symbol is restricted; or null. */
export function againstTrade(accountState: AccountState, order: Order): EndReason | null {
  if (accountState.trading.isActive) return null;
  const { strategyId, terms, intentId } = order;
  const command = accountState.intents.get(intentId)?.command;
  const restriction = restrictionOn(accountState, { strategyId, symbol: terms.symbol, command });
  const reduces = terms.side === 'sell' && !isDeferred(terms);
  if (!restriction || (restriction.state === 'reducing' && reduces)) return null;
  return { code: restrictionCode(restriction), why: restrictionText(restriction) };
}

/** Trade as freezes and holds see it. `exit`: a sell that protects; what only guards buying lets it pass. */
export type Trade = Readonly<{ symbol: Ticker; kind: 'buy' | 'sell' | 'exit' }>;

export const tradeOf = (
  accountState: AccountState,
  order: Pick<Order, 'intentId'> & Readonly<{ terms: Pick<OrderTerms, 'symbol' | 'side'> }>,
): Trade => {
  const { symbol, side } = order.terms;
  return { symbol, kind: isProtective(accountState, order) ? 'exit' : side };
};

/**
 * Freeze or hold that stops a trade now; null for none. A difference guards buying: an exit passes it, and so does any sell where the
 * venue has no less than the ledger, because no sell takes more than both have (`fundsFor`). An exit also passes what buys have frozen,
 * and orders without an end, whose shares are not free.
 */
export function blockOn(context: EngineContext, { symbol, kind }: Trade): EndReason | null {
  const { accountState, holds } = context;
  if (isFree(context)) return null;
  const isExit = kind === 'exit';
  const isSure = isExit || (kind === 'sell' && context.precedents.lacksNone(symbol));
  const frozen = isSure
    ? accountState.freezes.againstSale(symbol, isExit)
    : (accountState.frozen.get(symbol) ?? null);
  if (frozen !== null) return { code: 'FROZEN', why: `${symbol} is frozen: ${frozen}` };
  const held = holds.against(
    symbol,
    (cause) => (isSure && cause === 'difference') || (isExit && cause.startsWith('order ')),
  );
  return held === null ? null : { code: 'ON_HOLD', why: held };
}

/** True while neither a freeze nor a hold stops anything. */
const isFree = ({ accountState, holds }: EngineContext): boolean =>
  holds.areNone && accountState.frozen.size === 0;

/** The same for an order that is about to be sent: a buy needs money that is not held either. */
export function blockOnOrder(context: EngineContext, order: Parameters<typeof tradeOf>[1]): EndReason | null {
  if (isFree(context)) return null;
  const trade = tradeOf(context.accountState, order);
  const block = blockOn(context, trade);
  if (block !== null || trade.kind !== 'buy') return block;
  const held = context.holds.onCash;
  return held === null ? null : { code: 'ON_HOLD', why: held };
}

/** True for an order that its strategy has not asked for just now: of an operator's command, or of an order that the runner holds. */
export const isOfRunner = ({ intents }: AccountState, { intentId }: Order): boolean => {
  const intent = intents.get(intentId);
  return intent?.command !== undefined || intent?.parent !== undefined;
};

type ScopedIntent = Pick<OrderIntent, 'strategyId' | 'symbol'> &
  Readonly<{ command?: OrderIntent['command'] }>;

/** The strictest restriction of an intent; null while it may trade. The sells of a flatten pass the halts that it began under. */
export function restrictionOn({ trading, commands }: AccountState, trade: ScopedIntent): Restriction | null {
  if (trading.isActive) return null;
  const { strategyId, symbol, command } = trade;
  const flatten = command === undefined ? undefined : flattenOf(commands, command);
  return trading.on({ strategyId, symbol }, flatten);
}

/** The flatten of this id while it runs. */
const flattenOf = (
  commands: AccountState['commands'],
  id: NonNullable<OrderIntent['command']>,
): KnownCommand | undefined => (commands.flattening.has(id) ? commands.of(id) : undefined);

export const restrictionCode = ({ state }: Pick<Restriction, 'state'>): EndCode =>
  state === 'halted' ? 'HALTED' : 'REDUCING';

/** Text such as `trading is halted: a holiday`, or `trading of strategy a is halted: a holiday`. */
export const restrictionText = ({ scope, state, reason }: Restriction): string =>
  `trading${isRun(scope) ? '' : ` of ${describeScope(scope)}`} is ${state}: ${reason}`;
