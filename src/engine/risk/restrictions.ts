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

/** Reason not to place an order because trading of its strategy or symbol is restricted; or null. */
export function againstTrade(accountState: AccountState, order: Order): EndReason | null {
  if (accountState.trading.isActive) return null;
  const { strategyId, terms, intentId } = order;
  const command = accountState.intents.get(intentId)?.command;
  const restriction = restrictionOn(accountState, { strategyId, symbol: terms.symbol, command });
  const reduces = terms.side === 'sell' && !isDeferred(terms);
  if (!restriction || (restriction.state === 'reducing' && reduces)) return null;
  return { code: restrictionCode(restriction), why: restrictionText(restriction) };
}

/** A trade as freezes and holds see it. `exit`: a protective sell, which passes whatever only blocks buying. */
export type Trade = Readonly<{ symbol: Ticker; kind: 'buy' | 'sell' | 'exit' }>;

export const tradeOf = (
  accountState: AccountState,
  order: Pick<Order, 'intentId'> & Readonly<{ terms: Pick<OrderTerms, 'symbol' | 'side'> }>,
): Trade => {
  const { symbol, side } = order.terms;
  return { symbol, kind: isProtective(accountState, order) ? 'exit' : side };
};

/**
 * Freeze or hold that blocks a trade now; null if none. A difference only blocks buying: exits pass it, and so do all
 * sells if the venue has at least as much as the ledger, because no sell takes more than both have (`fundsFor`). Exits
 * also pass freezes caused by buys, and holds for orders without an end, whose shares are not free.
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

/** The same for an order about to be sent: a buy also needs money that is not on hold. */
export function blockOnOrder(context: EngineContext, order: Parameters<typeof tradeOf>[1]): EndReason | null {
  if (isFree(context)) return null;
  const trade = tradeOf(context.accountState, order);
  const block = blockOn(context, trade);
  if (block !== null || trade.kind !== 'buy') return block;
  const held = context.holds.onCash;
  return held === null ? null : { code: 'ON_HOLD', why: held };
}

/** True for an order that its strategy did not just request: one of an operator's command, or of a synthetic order. */
export const isOfRunner = ({ intents }: AccountState, { intentId }: Order): boolean => {
  const intent = intents.get(intentId);
  return intent?.command !== undefined || intent?.parent !== undefined;
};

type ScopedIntent = Pick<OrderIntent, 'strategyId' | 'symbol'> &
  Readonly<{ command?: OrderIntent['command'] }>;

/** The strictest restriction on an intent; null while it may trade. Sells of a flatten pass the halts it began under. */
export function restrictionOn({ trading, commands }: AccountState, trade: ScopedIntent): Restriction | null {
  if (trading.isActive) return null;
  const { strategyId, symbol, command } = trade;
  const flatten = command === undefined ? undefined : flattenOf(commands, command);
  return trading.on({ strategyId, symbol }, flatten);
}

/** The flatten with this id while it runs. */
const flattenOf = (
  commands: AccountState['commands'],
  id: NonNullable<OrderIntent['command']>,
): KnownCommand | undefined => (commands.flattening.has(id) ? commands.of(id) : undefined);

export const restrictionCode = ({ state }: Pick<Restriction, 'state'>): EndCode =>
  state === 'halted' ? 'HALTED' : 'REDUCING';

/** Text such as `trading is halted: a holiday`, or `trading of strategy a is halted: a holiday`. */
export const restrictionText = ({ scope, state, reason }: Restriction): string =>
  `trading${isRun(scope) ? '' : ` of ${describeScope(scope)}`} is ${state}: ${reason}`;
