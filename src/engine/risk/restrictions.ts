import type { AccountState } from '../../domain/account/accountState.ts';
import type { KnownCommand } from '../../domain/operator/command.ts';
import { describeScope, isRun, type Restriction } from '../../domain/operator/tradingState.ts';
import type { EndCode, EndReason } from '../../domain/orders/endCode.ts';
import { isDeferred, type Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';

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

/** True for an order that its strategy has not asked for just now: of an operator's command, or of an order that the runner holds. */
export const isOfRunner = ({ intents }: AccountState, { intentId }: Order): boolean => {
  const intent = intents.get(intentId);
  return intent?.command !== undefined || intent?.parent !== undefined;
};

type Trade = Pick<OrderIntent, 'strategyId' | 'symbol'> & Readonly<{ command?: OrderIntent['command'] }>;

/** The strictest restriction of an intent; null while it may trade. The sells of a flatten pass the halts that it began under. */
export function restrictionOn({ trading, commands }: AccountState, trade: Trade): Restriction | null {
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
