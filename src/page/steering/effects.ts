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
        ...sales(scope, status),
        ...cancellations(scope, status),
        'It sells at the market: the worth is that at the latest price. Shares of no strategy stay.',
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

const NONE_OPEN = 'No order is open.';
const openEffects = (orders: readonly Readonly<{ id: string; text: string }>[], what: string): string[] =>
  orders.length === 0 ? [NONE_OPEN] : orders.map(({ id, text }) => `Order ${id} ${what}: ${text}.`);

function tradeEffects(body: Action['body'], scope: Scope, status: Status): string[] {
  const of = scopeText(scope) === 'everything' ? '' : ` of ${scopeText(scope)}`;
  if (body['state'] === 'active')
    return [
      ...status.restrictions
        .filter(
          ({ strategy, symbol }) =>
            (strategy ?? undefined) === scope.strategy && (symbol ?? undefined) === scope.symbol,
        )
        .map(({ state, by, reason }) => `Lifts: ${state} by ${by}: ${reason}`),
      `Orders${of} can be sent again where nothing else forbids it.`,
    ];
  if (body['state'] === 'reducing')
    return [
      `Only orders${of} that make a position smaller are sent, until somebody resumes it.`,
      staying(scope, status),
    ];
  return [
    `No order${of} is sent until somebody resumes it, across restarts.`,
    ...(body['cancel'] === true
      ? cancellations(scope, status)
      : [staying(scope, status), ...unwatched(scope, status)]),
  ];
}

/** Ends of every order of a scope: open ones, waiting ones, and those that the bot holds. */
function cancellations(scope: Scope, status: Status): string[] {
  const held = status.heldOrders.filter((order) => isIn(scope, order));
  return [
    ...openEffects(ordersIn(scope, status), 'is cancelled'),
    ...held.map(
      ({ id, text, protects }) =>
        `Held order ${id} is cancelled${protects ? ': it protects shares, which keep no stop' : ''}: ${text}.`,
    ),
  ];
}

/** Open orders that a restriction leaves alone. */
function staying(scope: Scope, status: Status): string {
  const count = ordersIn(scope, status).length;
  if (count === 0) return NONE_OPEN;
  return `${count} open ${count === 1 ? 'order stays' : 'orders stay'}.`;
}

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
  if (!Array.isArray(ids)) return cancellations(scope, status);
  const isNamed = ({ id }: Readonly<{ id: string }>) => ids.includes(id);
  const { orders, waiting, heldOrders } = status;
  const named = {
    ...status,
    orders: orders.filter(isNamed),
    waiting: waiting.filter(isNamed),
    heldOrders: heldOrders.filter(isNamed),
  };
  return named.orders.length + named.waiting.length + named.heldOrders.length === 0
    ? ['This order is no longer open.']
    : cancellations({}, named).filter((text) => text !== NONE_OPEN);
}

/** Positions that a flatten sells, each at its present worth; their sum before them. */
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
  return [`Sells ${held.length} positions, worth about ${money(formatDecimal(sum))} mUSD${rest}:`, ...lines];
}

function unfreezeEffects(body: Action['body'], { frozen }: Status): string[] {
  const named = frozen
    .filter(({ symbol }) => symbol === body['subject'])
    .map(({ why }) => `It is frozen: ${why}.`);
  const terms = body['acceptTerms'] === true ? ['The new terms of the venue are accepted.'] : [];
  return [...named, ...terms, 'It is lifted only if a complete look at the venue shows no reason for it.'];
}
