/** Random steps: waits, and requests that are mostly sound, while some carry one or more flaws. */
import fc from 'fast-check';
import type { MoveKind } from './moves.ts';

export type DeadlineDraft = { readonly inSeconds: number } | { readonly exactly: number | undefined };

export interface OrderDraft {
  readonly stock: number;
  readonly side: string;
  readonly type: string;
  readonly quantity: string | number;
  readonly notional: string | number;
  /** Distance of a limit from the market, basis points. */
  readonly limitBps: number;
  /** Text appended to the limit: an off-tick price, or nonsense. */
  readonly limitSuffix: string;
  readonly timeInForce: string;
  readonly deadline: DeadlineDraft;
  readonly deferred: boolean | undefined;
  readonly gasLimit: number | undefined;
  readonly omitted: string | undefined;
  readonly address: string | undefined;
}

export type Draft =
  | { readonly kind: 'place' | 'calldata'; readonly order: OrderDraft }
  | {
      readonly kind: 'cancel';
      readonly pick: number;
      readonly prefixed: boolean;
      readonly deadline: DeadlineDraft;
    }
  | { readonly kind: 'order' | 'transaction'; readonly pick: number }
  | { readonly kind: 'orders'; readonly page: number; readonly limit: number }
  | { readonly kind: 'balance' | 'positions'; readonly account: number }
  | { readonly kind: 'move'; readonly move: MoveKind; readonly asset: string; readonly amount: string }
  | { readonly kind: 'status' | 'disable' }
  | { readonly kind: 'prepare'; readonly deadline: DeadlineDraft }
  | { readonly kind: 'enable'; readonly sameDeadline: boolean; readonly signedBy: 'user' | 'other' };

export interface CredentialsDraft {
  readonly key: number;
  readonly signatureValid: boolean;
  readonly chainId: number;
  readonly product: string;
  /** Milliseconds that the timestamp is ahead of the venue's clock. */
  readonly drift: number;
  /** Index of an earlier nonce to reuse, counted from the newest; undefined for a new one. */
  readonly reused: number | undefined;
}

/** Change of a key by the venue's operator; an expiry is in ms from now. */
export type KeyChange =
  | 'inactive'
  | 'off the whitelist'
  | 'unbound'
  | 'sound'
  | { readonly expiresIn: number };

export type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'key'; readonly key: number; readonly change: KeyChange }
  | { readonly kind: 'ask'; readonly credentials: CredentialsDraft; readonly draft: Draft };

/** Returns mostly `usual`, one time in `every` something else. */
const rarely = <T>(usual: fc.Arbitrary<T>, every: number, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: every - 1, arbitrary: usual }, { weight: 1, arbitrary: other });

const deadline: fc.Arbitrary<DeadlineDraft> = fc.oneof(
  { weight: 16, arbitrary: fc.integer({ min: 20, max: 120 }).map((inSeconds) => ({ inSeconds })) },
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 4 }).map((inSeconds) => ({ inSeconds })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, -1, 1.5, 4_294_967_295, 4_294_967_296, 1e12, undefined)
      .map((exactly) => ({ exactly })),
  },
);

const cents = (min: number, max: number) => fc.integer({ min, max }).map((count) => (count / 100).toFixed(2));
const nonsense = fc.constantFrom<string | number>(
  '.5',
  '5.',
  '1e1',
  '+5',
  ' 5',
  '0x5',
  '1,5',
  '0',
  '-1',
  '',
  'abc',
  '1.0000000000000000001',
  0,
  -3,
);

const quantity: fc.Arbitrary<string | number> = rarely(
  fc.oneof(
    fc.integer({ min: 1, max: 60 }).map(String),
    fc.integer({ min: 1, max: 20 }),
    cents(1, 3000),
    fc.integer({ min: 1, max: 9_999_999 }).map((count) => (count / 1_000_000).toFixed(6)),
    fc.constantFrom('500', '20000', '100000', '0.000000000000000001', '1.123456789012345678'),
  ),
  40,
  nonsense,
);

const notional: fc.Arbitrary<string | number> = rarely(
  fc.oneof(
    cents(100, 500_000),
    fc.integer({ min: 1, max: 3000 }),
    fc.integer({ min: 1, max: 90_000 }),
    fc.constantFrom(
      '0.99',
      '1',
      '0.999999999999999999',
      '99890.12',
      '99890.13',
      '200000',
      '33.333333333333333333',
    ),
  ),
  40,
  nonsense,
);

const cashMoved = fc.oneof(
  cents(1, 2_000_000),
  fc.constantFrom(
    '89.99',
    '90',
    '90.000001',
    '90.0000001',
    '0',
    '-1',
    'abc',
    '60000',
    '1234.567891',
    '0.0000001',
  ),
);
const stockMoved = fc.oneof(
  cents(1, 1500),
  fc.constantFrom('1', '5', '10.000000000000000001', '0.0000000000000000001', '0', '-1', 'x', '500'),
);

const order: fc.Arbitrary<OrderDraft> = fc.record({
  stock: fc.nat({ max: 99 }),
  side: rarely(fc.constantFrom('Buy', 'Sell'), 60, fc.constantFrom('buy', 'Short', '')),
  type: rarely(fc.constantFrom('Market', 'Limit'), 60, fc.constantFrom('market', 'Stop', '')),
  quantity,
  notional,
  limitBps: fc.oneof(fc.integer({ min: -300, max: 300 }), fc.constantFrom(-5000, 5000, -10, 10, 0)),
  limitSuffix: rarely(fc.constant(''), 40, fc.constantFrom('1', '001', '00', 'x')),
  timeInForce: rarely(
    fc.constant('DAY'),
    20,
    fc.constantFrom('GTC', 'IOC', 'FOK', 'OPG', 'CLS', 'day', 'GFD'),
  ),
  deadline,
  deferred: rarely(fc.constant(undefined), 8, fc.constantFrom<(boolean | undefined)[]>(true, true, false)),
  gasLimit: rarely<number | undefined>(
    fc.constant(undefined),
    10,
    fc.constantFrom(0, -5, 20_999, 100_000, 1_000_000, 2_000_000, 1.5),
  ),
  omitted: rarely<string | undefined>(
    fc.constant(undefined),
    40,
    fc.constantFrom(
      'stockAddress',
      'side',
      'type',
      'quantity',
      'notional',
      'price',
      'timeInForce',
      'deadline',
    ),
  ),
  address: rarely<string | undefined>(
    fc.constant(undefined),
    80,
    fc.constantFrom(`0x${'12'.repeat(20)}`, '0x1234', 'AAPL'),
  ),
});

/** Pick that stands for an unknown id. */
export const NO_PICK = 30;
const pick = fc.nat({ max: NO_PICK });

const move: fc.Arbitrary<Draft> = fc
  .constantFrom<MoveKind[]>('cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals')
  .chain((kind) =>
    fc.record({
      kind: fc.constant('move' as const),
      move: fc.constant(kind),
      asset: rarely(
        kind.startsWith('cash/') ? fc.constant('cash') : fc.constantFrom('AAPL', 'MSFT', 'SPY'),
        20,
        fc.constantFrom('cash', 'AAPL', 'nothing'),
      ),
      amount: kind.startsWith('cash/') ? cashMoved : stockMoved,
    }),
  );

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 4, arbitrary: move },
  { weight: 20, arbitrary: order.map((terms) => ({ kind: 'place' as const, order: terms })) },
  { weight: 2, arbitrary: order.map((terms) => ({ kind: 'calldata' as const, order: terms })) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick, prefixed: fc.boolean(), deadline }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('order' as const, 'transaction' as const), pick }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('orders' as const),
      page: fc.integer({ min: -1, max: 4 }),
      limit: fc.constantFrom(-1, 0, 1, 2, 5, 10, 99, 100, 101, 5000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('balance' as const, 'positions' as const),
      account: fc.nat({ max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'status' as const }) },
  {
    weight: 1,
    arbitrary: rarely<Draft>(fc.constant({ kind: 'status' }), 3, fc.constant({ kind: 'disable' })),
  },
  { weight: 3, arbitrary: deadline.map((until) => ({ kind: 'prepare' as const, deadline: until })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('enable' as const),
      sameDeadline: rarely(fc.constant(true), 6, fc.constant(false)),
      signedBy: rarely(fc.constant('user' as const), 6, fc.constant('other' as const)),
    }),
  },
);

/** Keys come in pairs, WRITABLE first, one pair for each account; 99 is no key. */
const credentials: fc.Arbitrary<CredentialsDraft> = fc.record({
  key: fc.oneof(
    { weight: 22, arbitrary: fc.constantFrom(0, 2, 4, 0, 2, 4, 0, 2, 6) },
    { weight: 2, arbitrary: fc.constantFrom(1, 3, 5, 7) },
    { weight: 1, arbitrary: rarely(fc.constant(0), 4, fc.constant(99)) },
  ),
  signatureValid: rarely(fc.constant(true), 80, fc.constant(false)),
  chainId: rarely(fc.constant(143), 90, fc.constantFrom(1, 144, 0)),
  product: rarely(fc.constant('ProductA'), 90, fc.constantFrom('producta', 'ProductB', '')),
  drift: rarely(
    fc.constant(0),
    16,
    fc.constantFrom(-90_000, -45_001, -45_000, -44_999, -1000, 1000, 44_999, 45_000, 45_001, 90_000),
  ),
  reused: rarely<number | undefined>(fc.constant(undefined), 30, fc.nat({ max: 3 })),
});

const wait: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 3000 }) },
    { weight: 4, arbitrary: fc.constantFrom(5000, 10_000, 15_000, 30_000, 44_000, 46_000, 91_000) },
    { weight: 1, arbitrary: fc.constantFrom(300_000, 1_800_000) },
    { weight: 1, arbitrary: rarely(fc.constant(600_000), 3, fc.constantFrom(4 * 3_600_000, 17 * 3_600_000)) },
  )
  .map((ms) => ({ kind: 'wait', ms }));

const keyChange: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('key' as const),
  key: fc.nat({ max: 7 }),
  change: rarely<KeyChange>(
    fc.constant('sound'),
    2,
    fc.oneof(
      fc.constantFrom<KeyChange[]>('inactive', 'off the whitelist', 'unbound'),
      fc.constantFrom(-1, 0, 1, 1000, 60_000).map((expiresIn) => ({ expiresIn })),
    ),
  ),
});

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: keyChange },
  { weight: 21, arbitrary: fc.record({ kind: fc.constant('ask' as const), credentials, draft }) },
  { weight: 14, arbitrary: wait },
);

/** Instants at which a run begins: inside sessions, before opens and closes, on early closes, holidays and weekends. */
export const start: fc.Arbitrary<number> = fc
  .constantFrom(
    '2026-06-15T14:00:00Z',
    '2026-06-15T14:00:00Z',
    '2026-06-15T15:00:00Z',
    '2026-06-16T14:30:00Z',
    '2026-06-17T17:30:00Z',
    '2026-06-18T14:10:00Z',
    '2026-06-22T14:40:00Z',
    '2026-06-23T16:40:00Z',
    '2026-11-27T15:00:00Z',
    '2026-06-15T13:28:00Z',
    '2026-06-15T19:58:00Z',
    '2026-06-15T19:59:40Z',
    '2026-06-22T19:59:30Z',
    '2026-06-16T23:57:00Z',
    '2026-06-17T15:00:00Z',
    '2026-06-18T19:59:00Z',
    '2026-06-19T15:00:00Z',
    '2026-06-20T15:00:00Z',
    '2026-11-25T20:58:30Z',
    '2026-11-27T17:58:00Z',
    '2026-11-27T21:59:00Z',
    '2026-12-24T17:57:00Z',
    '2026-03-06T20:58:00Z',
    '2026-10-30T19:50:00Z',
  )
  .map((text) => Date.parse(text));
