import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../../src/core/brand.ts';
import { END_CODES } from '../../../src/domain/orders/endCode.ts';
import type { HookContext, OrderView } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { MINUTE, Stage, type StageOptions } from '../stage.ts';
import { endReasonOf } from '../../../src/domain/orders/order.ts';

type Act = (order: HookContext['order']) => void;
type Case = Readonly<{
  code: string;
  act: Act;
  options?: StageOptions;
  before?: (stage: Stage) => void;
  after?: (stage: Stage) => Promise<unknown>;
  status?: string;
}>;

const limit = (order: HookContext['order']) =>
  order.limit('AAPL', { side: 'buy', shares: 1, price: 90, goodTill: 'cancelled' });
const limits = (name: string, value: unknown): StageOptions => ({ limits: { [name]: value } });
const ENDED = new Set(['dropped', 'cancelled', 'refused', 'reverted', 'rejected', 'expired']);

const SENT = { at: epochMs(0), deadline: epochSeconds(0) } as const;

/** Two minutes and a half before an open. */
const BEFORE_OPEN = Date.parse('2026-06-15T13:27:30Z');

const CASES: readonly Case[] = [
  {
    code: 'ORDER_NOTIONAL',
    act: (order) => order.buy('AAPL', { notional: 500 }),
    options: limits('orderNotional', parseCash('100')),
  },
  {
    code: 'POSITION_NOTIONAL',
    act: (order) => order.buy('AAPL', { notional: 500 }),
    options: limits('positionNotional', parseCash('100')),
  },
  {
    code: 'GROSS_EXPOSURE',
    act: (order) => order.buy('AAPL', { notional: 500 }),
    options: limits('grossExposure', parseCash('100')),
  },
  {
    code: 'ORDERS_PER_MINUTE',
    act: (order) => order.buy('AAPL', { notional: 5 }),
    options: limits('ordersPerMinute', 0),
  },
  {
    code: 'DAY_LOSS',
    act: (order) => order.buy('AAPL', { notional: 5 }),
    options: limits('dayLoss', parseCash('0')),
  },
  {
    code: 'PRICE_BAND',
    act: (order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 150 }),
    options: limits('priceBandBps', 100),
  },
  {
    code: 'QUOTE_AGE',
    act: (order) => order.buy('AAPL', { notional: 5 }),
    options: limits('quoteAgeMs', 60_000),
    before: ({ venue, clock }) => venue.haltedAt.set('AAPL', epochMs(clock.now() - 10 * MINUTE)),
  },
  { code: 'NO_MONEY', act: (order) => order.buy('AAPL', { notional: 50_000 }) },
  { code: 'NO_SHARES', act: (order) => order.sell('AAPL', { shares: 1 }) },
  { code: 'TOO_SMALL', act: (order) => order.buy('AAPL', { notional: 0.5 }) },
  { code: 'WHOLE_SHARES', act: (order) => order.buy('MSFT', { notional: 100 }) },
  { code: 'ON_TARGET', act: (order) => order.target('MSFT', { shares: 0 }), status: 'done' },
  {
    code: 'NOT_TRADABLE',
    act: (order) => order.buy('AAPL', { notional: 5 }),
    options: { start: BEFORE_OPEN },
    after: (stage) => {
      stage.venue.told.set('AAPL', { tradable: false });
      return stage.pass(2 * MINUTE);
    },
  },
  {
    code: 'HALTED',
    act: (order) => order.buy('AAPL', { notional: 5 }),
    options: { start: BEFORE_OPEN },
    after: (stage) => {
      stage.runner.kernel.context.record({
        kind: 'restricted',
        state: 'halted',
        cause: 'operator',
        scope: {},
        by: 'ann',
        reason: 'lunch',
      });
      return stage.pass(2 * MINUTE);
    },
  },
  {
    code: 'SESSION_CLOSED',
    act: (order) => order.buy('AAPL', { notional: 5, outside: 'refuse' }),
    options: { start: Date.parse('2026-06-14T14:00:00Z') },
  },
  {
    code: 'CANCELLED',
    act: (order) => {
      order.cancel(order.buy('AAPL', { notional: 5, at: 'open' }));
    },
  },
  {
    code: 'REPLACED',
    act: (order) => {
      order.target('AAPL', { weight: 0.1, at: 'open' });
      order.target('AAPL', { weight: 0.2, at: 'open' });
    },
  },
  {
    code: 'VENUE_REFUSED',
    act: (order) => order.buy('AAPL', { notional: 5 }),
    before: ({ venue }) => venue.fates.push('refuse'),
    after: (stage) => stage.pass(2 * MINUTE),
  },
  {
    code: 'EXPIRED',
    act: (order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }),
    after: (stage) => {
      stage.venue.end(stage.venue.last, 'expired');
      return stage.pass(2 * MINUTE);
    },
  },
  {
    code: 'RUN_ENDED',
    act: limit,
    options: { more: { atStop: 'cancel' }, start: Date.parse('2026-06-14T14:00:00Z') },
    after: (stage) => stage.stop(),
  },
];

test.each(CASES)(
  'an order that ends with the code $code reports code and reason to its strategy',
  async ({ code, act, options = {}, before, after, status }) => {
    const updates: OrderView[] = [];
    const hooks = {
      onStart: ({ order }: HookContext) => act(order),
      onOrder: ({ update }: { update: OrderView }) => void updates.push(update),
    };
    const stage = new Stage({ ...options, hooks: { solo: hooks } });
    before?.(stage);
    await stage.play(2 * MINUTE);
    await after?.(stage);
    const ended = factsOf(stage).flatMap((fact) => (fact.kind === 'intentEnded' ? [fact] : []));
    expect(ended.map((fact) => fact.code)).toContain(code);
    expect(ended.filter((fact) => fact.code === undefined)).toEqual([]);
    if (status === 'done') return;
    const told = updates.find((update) => ENDED.has(update.status) && update.code === code);
    expect(told, JSON.stringify(updates)).toBeDefined();
    expect(told?.why).not.toBe('');
  },
);

test('an order that waits for the open reports its code, and an order under way has none', async () => {
  const updates: OrderView[] = [];
  const hooks = {
    onStart: ({ order }: HookContext) => void order.buy('AAPL', { notional: 5 }),
    onOrder: ({ update }: { update: OrderView }) => void updates.push(update),
  };
  const start = Date.parse('2026-06-15T13:28:00Z');
  const stage = await new Stage({ start, hooks: { solo: hooks } }).play(4 * MINUTE);
  expect(updates[0]).toMatchObject({
    status: 'waiting',
    code: 'SESSION_CLOSED',
    why: 'the session is closed',
  });
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(updates.slice(1).every(({ code, why }) => code === null && why === null)).toBe(true);
  expect(updates.at(-1)?.status).toBe('filled');
});

test.each([
  [{ kind: 'closed', how: 'rejected', txHash: '', venueId: null, settlement: null }, 'VENUE_REFUSED'],
  [{ kind: 'reverted', txHash: '' }, 'REVERTED'],
  [{ kind: 'neverExisted', assumed: true, ...SENT }, 'UNRESOLVED'],
  [{ kind: 'neverExisted', assumed: false, ...SENT }, 'NEVER_PLACED'],
  [{ kind: 'abandoned', reason: 'told', code: 'TOO_OLD' }, 'TOO_OLD'],
  [{ kind: 'abandoned', reason: 'told, before there were codes' }, 'NOT_SENT'],
] as const)('an order that ends with %o has the code %s', (state, code) => {
  expect(endReasonOf({ state })?.code).toBe(code);
});

test('docs/hooks.md explains exactly the end codes that exist', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/hooks.md'), 'utf8');
  const listed = [...page.matchAll(/^- `([A-Z_]+)`: (.*)\.$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(listed).toEqual(Object.entries(END_CODES));
});
