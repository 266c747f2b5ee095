import { formatDecimal, parseDecimal } from '../../core/amount.ts';
import type { Status } from '../../ops/model/status.ts';
import { money, shares } from '../parts/amounts.tsx';
import { scopeOf, scopeText, type Action, type Scope } from './action.ts';

/** Sentences that say what an action will do to the run as it is shown. */
export function effectsOf(action: Action, status: Status): readonly string[] {
  const { verb, body } = action;
  const scope = scopeOf(action);
  switch (verb) {
    case 'trade':
      return tradeEffects(body, scope, status);
    case 'cancel':
      return cancelEffects(body, scope, status);
    case 'flatten':
      return [
        `${capital(scopeText(scope))} is halted until somebody resumes it.`,
        ...openEffects(ordersIn(scope, status), 'is cancelled'),
        ...sales(scope, status),
        'Shares of no strategy stay. Market orders are sold at what the market gives.',
      ];
    case 'accept':
      return [
        ...status.differences.filter(({ asset }) => asset === body['asset']).map(({ text }) => `${text}.`),
        'The ledger takes the amount of the venue, for no strategy. Equity changes by the difference.',
      ];
    case 'accept-order':
      return ['This order was placed by somebody else. It counts as known and intended from now on.'];
    case 'resolve':
      return [
        ...status.orders.filter(({ id }) => id === body['subject']).map(({ text }) => `${text}.`),
        'You vouch that it was never carried out, and is not open at the venue. Look there first: if it was, it may be done twice.',
      ];
    case 'unfreeze':
      return unfreezeEffects(body, status);
    case 'acknowledge':
      return status.alarms
        .filter(({ id, acknowledged }) => !acknowledged && (body['alarm'] ?? id) === id)
        .map(({ text }) => text);
  }
  return [];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Placed = Readonly<{ strategy: string; symbol: string }>;
const isIn = ({ strategy, symbol }: Scope, of: Placed): boolean =>
  (strategy ?? of.strategy) === of.strategy && (symbol ?? of.symbol) === of.symbol;

const ordersIn = (scope: Scope, { orders, waiting }: Status) =>
  [...orders, ...waiting].filter((order) => isIn(scope, order));

const openEffects = (orders: readonly Readonly<{ id: string; text: string }>[], what: string): string[] =>
  orders.length === 0 ? ['No order is open.'] : orders.map(({ id, text }) => `Order ${id} ${what}: ${text}.`);

function tradeEffects(body: Action['body'], scope: Scope, status: Status): string[] {
  const what = scopeText(scope);
  if (body['state'] === 'active')
    return [
      ...status.restrictions
        .filter(
          ({ strategy, symbol }) =>
            (strategy ?? undefined) === scope.strategy && (symbol ?? undefined) === scope.symbol,
        )
        .map(({ state, by, reason }) => `Lifts: ${state} by ${by}: ${reason}`),
      `Orders of ${what} can be sent again where nothing else forbids it.`,
    ];
  const orders = ordersIn(scope, status);
  const isHalt = body['state'] === 'halted';
  const cancelled = isHalt ? orders : orders.filter((order) => !('side' in order) || order.side === 'buy');
  return [
    isHalt
      ? `No order of ${what} is sent until somebody resumes it, across restarts.`
      : `Only orders of ${what} that make a position smaller are sent, until somebody resumes it.`,
    ...(body['cancel'] === true
      ? openEffects(cancelled, 'is cancelled')
      : [`${countOf(orders.length)} as before.`]),
    ...(isHalt ? unwatched(scope, status) : []),
  ];
}

const countOf = (count: number): string =>
  count === 0
    ? 'No order is open: everything stays'
    : `${count} open ${count === 1 ? 'order stays' : 'orders stay'}`;

/** Stops and other held orders, which can do nothing while trading is halted. */
function unwatched(scope: Scope, { heldOrders }: Status): string[] {
  const held = heldOrders.filter((order) => isIn(scope, order));
  return held.map(
    ({ id, text, protects }) =>
      `Held order ${id} can send nothing meanwhile${protects ? ', and protects nothing' : ''}: ${text}.`,
  );
}

function cancelEffects(body: Action['body'], scope: Scope, status: Status): string[] {
  const ids = body['orders'];
  const all = [...ordersIn(scope, status), ...status.heldOrders.filter((order) => isIn(scope, order))];
  return openEffects(Array.isArray(ids) ? all.filter(({ id }) => ids.includes(id)) : all, 'is cancelled');
}

/** Positions that a flatten sells, each at its present worth, and their sum. */
function sales(scope: Scope, { strategies }: Status): string[] {
  const held = strategies.flatMap(({ id, positions }) =>
    positions
      .filter(({ symbol }) => isIn(scope, { strategy: id, symbol }))
      .map((position) => ({ ...position, id })),
  );
  if (held.length === 0) return ['There is nothing to sell.'];
  const known = held.flatMap(({ value }) => (value === null ? [] : [parseDecimal(value, { signed: true })]));
  const lines = held.map(
    ({ id, symbol, shares: amount, value }) =>
      `Sells ${shares(amount)} ${symbol} of ${id}, worth about ${value === null ? 'an unknown amount' : `${money(value)} mUSD`}.`,
  );
  if (held.length === 1) return lines;
  const sum = known.reduce((one, other) => one + other, 0n);
  const rest = known.length < held.length ? ' and what has no price' : '';
  return [...lines, `In all about ${money(formatDecimal(sum))} mUSD${rest}.`];
}

function unfreezeEffects(body: Action['body'], { frozen }: Status): string[] {
  const named = frozen
    .filter(({ symbol }) => symbol === body['subject'])
    .map(({ why }) => `It is frozen: ${why}.`);
  const terms = body['acceptTerms'] === true ? ['The new terms of the venue are accepted.'] : [];
  return [...named, ...terms, 'It is lifted only if a complete look at the venue shows no reason for it.'];
}
