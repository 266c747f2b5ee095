import { formatDecimal, parseSigned } from '../../core/amount.ts';
import { saleTime } from '../../ops/model/saleTime.ts';
import type { Status } from '../../ops/model/status.ts';
import { money, shares } from '../parts/amounts.tsx';
import { newYorkTime } from '../parts/times.ts';
import { scopeOf, scopeText, type Action, type Scope } from './action.ts';

/** Sentences about what an action will do to the run as shown. */
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
        ...holdings(scope, status, SALE),
        ...cancellations(scope, status),
        'It sells at the market; the value shown is at the latest price. Shares that belong to no strategy stay.',
      ];
    case 'accept':
      return [
        ...status.differences.filter(({ asset }) => asset === body['asset']).map(({ text }) => `${text}.`),
        "The ledger takes over the venue's amount, assigned to no strategy. Equity changes by the difference.",
      ];
    case 'accept-order':
      return ['Someone placed this order outside drover. From now on it counts as known and intended.'];
    case 'resolve':
      return [
        ...status.orders.filter(({ id }) => id === body['subject']).map(({ text }) => `${text}.`),
        'You vouch that it was never carried out and is not open at the venue. Check there first: otherwise it may be done twice.',
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
const isIn = ({ strategy, symbol }: Scope, of: Readonly<{ strategy: string; symbol: string }>): boolean =>
  (strategy ?? of.strategy) === of.strategy && (symbol ?? of.symbol) === of.symbol;

const ordersIn = (scope: Scope, { orders, waiting }: Status) =>
  [...orders, ...waiting].filter((order) => isIn(scope, order));

const NONE_OPEN = 'No order is open.';

function tradeEffects(body: Action['body'], scope: Scope, status: Status): string[] {
  const of = scopeText(scope) === 'everything' ? '' : ` of ${scopeText(scope)}`;
  const now = restrictionsOf(scope, status);
  if (body['state'] === 'active')
    return [
      ...now.map((one) => `Lifts: ${restrictionText(one, status)}`),
      ...endOfFlatten(now, scope, status),
      `Orders${of} can be sent again at once unless something else blocks them.`,
    ];
  if (body['state'] === 'reducing') {
    const own = now.filter(({ cause }) => cause === 'operator');
    return [
      ...own.map((one) => `Replaces: ${restrictionText(one, status)}`),
      ...endOfFlatten(own, scope, status),
      `Only orders${of} that make a position smaller are sent from now on, until somebody resumes it.`,
      staying(scope, status),
    ];
  }
  return [
    `No order${of} is sent until somebody resumes it, across restarts.`,
    ...(body['cancel'] === true
      ? cancellations(scope, status)
      : [staying(scope, status), ...unwatched(scope, status)]),
  ];
}

/** Restrictions with exactly this scope. */
const restrictionsOf = ({ strategy, symbol }: Scope, { restrictions }: Status): Status['restrictions'] =>
  restrictions.filter((one) => one.strategy === (strategy ?? null) && one.symbol === (symbol ?? null));

const restrictionText = (
  { state, by, reason, since }: Status['restrictions'][number],
  { now }: Status,
): string => `${state} by ${by} since ${newYorkTime(since, now)} New York time: ${reason}`;

/** A flatten that ends when its halt is lifted, and what it has not sold by then. */
const endOfFlatten = (lifted: Status['restrictions'], scope: Scope, status: Status): string[] =>
  lifted.some(({ isFlattening = false }) => isFlattening)
    ? [
        'Ends the flatten at once: its sells that have not left yet are not sent.',
        ...holdings(scope, status, STAY),
      ]
    : [];

/** All orders of a scope that end: open ones, waiting ones, and those held by the bot. */
function cancellations(scope: Scope, status: Status): string[] {
  const held = status.heldOrders.filter((order) => isIn(scope, order));
  const open = ordersIn(scope, status).map(({ id, text }) => `Order ${id} is cancelled: ${text}.`);
  return [
    ...(open.length === 0 ? [NONE_OPEN] : open),
    ...held.map(
      ({ id, text, protects }) =>
        `Held order ${id} is cancelled${protects ? ': the shares it protects are left without a stop' : ''}: ${text}.`,
    ),
  ];
}

/** Open orders that a restriction leaves unchanged. */
function staying(scope: Scope, status: Status): string {
  const count = ordersIn(scope, status).length;
  if (count === 0) return NONE_OPEN;
  return `${count} open ${count === 1 ? 'order stays' : 'orders stay'}.`;
}

/** Stops and other held orders, which are inactive while trading is halted. */
function unwatched(scope: Scope, { heldOrders }: Status): string[] {
  const held = heldOrders.filter((order) => isIn(scope, order));
  return held.map(
    ({ id, text, protects }) =>
      `Held order ${id} cannot send anything meanwhile${protects ? ', so it protects nothing' : ''}: ${text}.`,
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

/** Texts about positions: what happens to them, and if there are none. */
type Fate = Readonly<{ verb: string; none: string; after: (status: Status) => readonly string[] }>;
const SALE: Fate = {
  verb: 'Sells',
  none: 'There is nothing to sell.',
  after: (status) => [saleTime(status, newYorkTime)],
};
const STAY: Fate = { verb: 'Keeps', none: 'Nothing is left to sell.', after: () => [] };

/** Positions of a scope, each with its current value, after their total. */
function holdings(scope: Scope, status: Status, { verb, none, after }: Fate): string[] {
  const { strategies } = status;
  const held = strategies.flatMap(({ id, positions }) =>
    positions
      .filter(({ symbol }) => isIn(scope, { strategy: id, symbol }))
      .map((position) => ({ ...position, id })),
  );
  if (held.length === 0) return [none];
  const known = held.flatMap(({ value }) => (value === null ? [] : [parseSigned(value)]));
  const lines = held.map(
    ({ id, symbol, shares: amount, value }) =>
      `${verb} ${shares(amount)} ${symbol} of ${id}, worth about ${value === null ? 'an unknown amount' : `${money(value)} mUSD`}.`,
  );
  if (held.length === 1) return [...lines, ...after(status)];
  const sum = known.reduce((one, other) => one + other, 0n);
  const rest = known.length < held.length ? ' plus shares without a price' : '';
  const together = `${verb} ${held.length} positions, worth about ${money(formatDecimal(sum))} mUSD${rest}:`;
  return [together, ...lines, ...after(status)];
}

function unfreezeEffects(body: Action['body'], { frozen }: Status): string[] {
  const named = frozen
    .filter(({ symbol }) => symbol === body['subject'])
    .map(({ why }) => `It is frozen: ${why}.`);
  const terms = body['acceptTerms'] === true ? ['The new terms of the venue are accepted.'] : [];
  return [
    ...named,
    ...terms,
    'The freeze is lifted only if a complete check of the venue finds no reason for it.',
  ];
}
