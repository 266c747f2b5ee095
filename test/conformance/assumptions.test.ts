import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assumptionsOf } from '../../src/api/assumptions/assumptions.ts';
import { OBJECTS, type ObjectName } from '../../src/api/assumptions/names.ts';
import type { AssumptionOverlay } from '../../src/api/assumptions/overlay.ts';
import { type VenueClient } from '../../src/api/client.ts';
import { createVenue } from '../../src/api/venue.ts';
import * as bodies from './bodies.ts';
import { found, isTree, clientOfOther, rename, type Difference, type Envelope } from './otherVenue.ts';
import { startStage, type Stage } from './stage.ts';

let stage: Stage;
let orderId: string;
let txHash: string;
beforeAll(async () => {
  stage = await startStage();
  const client = stage.client(1);
  await stage.control('corporate-action', { type: 'cash_dividend', symbol: 'MSFT', cashPerShare: '0.5' });
  const orders = [
    bodies.marketBuy(stage),
    { ...bodies.limitBuy(stage), price: '20' },
    { ...bodies.marketSell(stage), deferred: true },
  ];
  for (const body of orders) await bodies.ask(client, 'orderSend', { body });
  await bodies.ask(client, 'cashDepositSend', { body: bodies.cashIn(stage) });
  await bodies.ask(client, 'cashWithdrawalSend', { body: bodies.cashOut(stage) });
  await bodies.ask(client, 'stockDepositSend', { body: bodies.stockMove(stage) });
  await bodies.ask(client, 'stockWithdrawalSend', { body: bodies.stockMove(stage) });
  await stage.settled();
  const open = (await client.orders()).rows.find((row) => 'openOrder' in row && row.openOrder);
  if (!open || !('mapping' in open)) throw new Error('no order is open');
  [orderId, txHash] = [open.mapping?.orderId ?? '', open.mapping?.txHash ?? ''];
});
afterAll(() => stage.close());

/** A client of an emulator that is made to differ, with the overlay for that difference. */
const clientOf = (difference: Difference, overlay?: AssumptionOverlay): VenueClient =>
  clientOfOther(stage, difference, overlay && assumptionsOf(overlay));

/** Result of a call, whether value or error. */
const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : error));

/** Other names for all fields of an object. */
const othersFor = (name: ObjectName): Record<string, string> =>
  Object.fromEntries(Object.keys(OBJECTS[name].names).map((each) => [each, `their_${each}`]));
const turned = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([from, to]) => [to, from]));

/** An object: its place in the emulator's responses or requests, and a call that shows it. */
type Case = Readonly<{
  differ: (names: Readonly<Record<string, string>>) => Difference;
  asked: (client: VenueClient) => Promise<unknown>;
}>;

const inAnswer =
  (at: (data: unknown) => readonly unknown[]) =>
  (names: Readonly<Record<string, string>>): Difference => ({
    answer: ({ data }) => at(data).forEach((object) => rename(object, names)),
  });
const inBody = (names: Readonly<Record<string, string>>): Difference => ({
  request: ({ body }) => rename(body, strictly(names, body)),
});
/** Names back from a venue that knows only its own: ours become unknown ones. */
function strictly(names: Readonly<Record<string, string>>, body: object) {
  const back = turned(names);
  for (const ours of Object.keys(names)) if (ours in body) back[ours] = `unknown_${ours}`;
  return back;
}

const hashOf = (sent: { txHash: string }) => /^0x[0-9a-f]{64}$/.test(sent.txHash);
const configPart = (field: string) => (data: unknown) => (isTree(data) ? [data[field]].flat() : []);
const user = () => ({ userAddress: stage.account(1).userAddress });

const CASES: Readonly<Record<ObjectName, Case>> = {
  sent: {
    differ: inAnswer((data) => [data]),
    asked: async (client) => hashOf(await client.orderSend({ body: bodies.marketBuy(stage) as never })),
  },
  recordTx: { differ: inBody, asked: (client) => client.orderRecordTx({ body: { txHash } }) },
  orderDetail: {
    differ: inAnswer(found.rows),
    asked: async (client) => [await client.orders(), await client.order({ path: { orderId } })],
  },
  link: {
    differ: inAnswer(found.links),
    asked: async (client) => [
      await client.orders(),
      await client.orderByTx({ path: { txHash } }),
      await client.cashDeposits(),
      await client.cashWithdrawals(),
      await client.stockDeposits(),
    ],
  },
  depositOrder: {
    differ: inBody,
    asked: (client) => client.orderWithDepositCalldata({ body: bodies.withDeposit(stage) as never }),
  },
  cashWithdrawal: {
    differ: inBody,
    asked: async (client) =>
      hashOf(await client.cashWithdrawalSend({ body: bodies.cashOut(stage) as never })),
  },
  withdrawalOperation: {
    differ: inAnswer((data) => found.under(data, 'withdrawalOperation')),
    asked: (client) => client.cashWithdrawals(),
  },
  stockMove: {
    differ: inBody,
    asked: async (client) => [
      await client.stockDepositCalldata({ body: { ...bodies.stockMove(stage), ...user() } as never }),
      await client.stockWithdrawalCalldata({ body: { ...bodies.stockMove(stage), ...user() } as never }),
    ],
  },
  stockDetail: {
    differ: inAnswer(found.rows),
    asked: async (client) => [await client.stockDeposits(), await client.stockWithdrawals()],
  },
  stockOperation: {
    differ: inAnswer((data) => found.under(data, 'stockOperation')),
    asked: async (client) => [await client.stockDeposits(), await client.stockWithdrawals()],
  },
  repayment: {
    differ: inBody,
    asked: (client) => client.repayCalldata({ body: { ...bodies.repayment(stage), ...user() } as never }),
  },
  debt: { differ: inAnswer(found.rows), asked: (client) => client.debts() },
  delegationChanged: { differ: inAnswer((data) => [data]), asked: (client) => client.oneClickDisable() },
  cashierBuffer: { differ: inAnswer(configPart('cashierBuffer')), asked: (client) => client.config() },
  exchangeFees: { differ: inAnswer(configPart('exchangeFeeConfig')), asked: (client) => client.config() },
  cashToken: { differ: inAnswer(configPart('cashierTokenConfig')), asked: (client) => client.config() },
  onChain: {
    differ: inAnswer((data) => found.under(data, 'onChain')),
    asked: (client) => client.prices({ path: { symbol: 'AAPL' } }),
  },
  actionQuery: {
    differ: (names) => ({ request: ({ query }) => rename(query, strictly(names, query)) }),
    asked: (client) =>
      client.corporateActions({ query: { symbols: 'MSFT', start: '2027-01-04', end: '2027-01-29' } }),
  },
  corporateAction: { differ: inAnswer(found.rows), asked: (client) => client.corporateActions() },
};

describe('an overlay for field names', () => {
  test.each(Object.keys(CASES).filter((name) => name !== 'delegationChanged') as ObjectName[])(
    'makes the client understand a venue with other names for %s',
    async (name) => {
      const { differ, asked } = CASES[name];
      const names = othersFor(name);
      const expected = await asked(stage.client(1));
      const strange = await outcome(asked(clientOf(differ(names))));
      const told = await asked(clientOf(differ(names), { fields: { [name]: names } }));
      expect(told).toEqual(expected);
      expect(strange).not.toEqual(expected);
    },
  );

  test('makes the client understand a venue with other names for delegationChanged', async () => {
    const { differ } = CASES.delegationChanged;
    const names = othersFor('delegationChanged');
    const told = clientOf(differ(names), { fields: { delegationChanged: names } });
    expect(await told.oneClickDisable()).toEqual({ status: 'disabled' });
    expect(await clientOf(differ(names)).oneClickDisable()).toEqual({});
  });

  test('hides a field that it maps to another name', async () => {
    const differ: Difference = {
      answer({ data }) {
        for (const object of found.under(data, 'stockOperation')) {
          rename(object, { amount: 'quantity' });
          object['amount'] = 999;
        }
      },
    };
    const client = clientOf(differ, { fields: { stockOperation: { amount: 'quantity' } } });
    expect(await client.stockDeposits()).toEqual(await stage.client(1).stockDeposits());
  });

  test('can swap two names', async () => {
    const differ = inAnswer((data) => found.under(data, 'stockOperation'));
    const names = { amount: 'quantity', createTxHash: 'amount' };
    const client = clientOf(differ(names), { fields: { stockOperation: names } });
    expect(await client.stockDeposits()).toEqual(await stage.client(1).stockDeposits());
  });
});

const changed = (at: (data: unknown) => readonly Record<string, unknown>[], field: string, to: unknown) => ({
  answer: ({ data }: Envelope) =>
    at(data).forEach((object) => {
      const value = object[field];
      object[field] = typeof to === 'function' ? (to as (value: unknown) => unknown)(value) : to;
    }),
});
const rowsFrom = async (client: VenueClient) =>
  (await createVenue(client, user()).orders({ page: 1, limit: 100 })).rows;
const statuses = async (client: VenueClient) =>
  (await rowsFrom(client)).map((row) => ('status' in row ? row.status : 'unreadable'));

describe('an overlay for words and times', () => {
  const announced = async (client: VenueClient) =>
    createVenue(client, user()).corporateActions?.({ from: '2026-06-01', to: '2026-12-31' });

  test('maps the kinds of a link', async () => {
    const differ = changed(found.links, 'operationType', (word: unknown) => `${String(word)} order`);
    const names = Object.fromEntries(
      ['trade', 'deposit', 'withdraw', 'stock_deposit', 'stock_withdraw', 'deferred_repay'].map((word) => [
        word,
        `${word} order`,
      ]),
    );
    const told = clientOf(differ, { words: { operationType: names } });
    expect(await told.orders()).toEqual(await stage.client(1).orders());
    expect(await clientOf(differ).orders()).not.toEqual(await stage.client(1).orders());
  });

  test('maps the kinds of a corporate action; a documented word that is not listed is unrecognised', async () => {
    const expected = await announced(stage.client(1));
    expect(expected).toHaveLength(1);
    const differ = changed(found.rows, 'type', 'dividend');
    const overlay = { words: { actionType: { cash_dividend: 'dividend' } } };
    expect(await announced(clientOf(differ, overlay))).toEqual(expected);
    expect(await announced(clientOf(differ))).toEqual([]);
    expect(await announced(clientOf({}, overlay))).toEqual([]);
  });

  test.each([
    ['ms', (seconds: unknown) => Number(seconds) * 1000],
    ['iso', (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString()],
  ] as const)('reads the time of a link in %s', async (createTime, to) => {
    const expected = await rowsFrom(stage.client(1));
    const differ = changed(found.links, 'createTime', to);
    expect(await rowsFrom(clientOf(differ, { units: { createTime } }))).toEqual(expected);
    // Milliseconds and seconds are told apart without an overlay.
    if (createTime === 'iso') expect(await rowsFrom(clientOf(differ))).not.toEqual(expected);
  });

  test('reads the time of the venue in seconds, or ignores it', async () => {
    const off = async (t: unknown, unit?: 's' | 'none') => {
      const client = clientOf(
        { answer: (envelope) => Object.assign(envelope, { t }) },
        unit && { units: { t: unit } },
      );
      await client.symbols();
      return client.offsetMs ?? 0;
    };
    const later = stage.now() + 15_000;
    expect(await off(Math.round(later / 1000), 's')).toBeCloseTo(15_000, -3);
    expect(Math.abs(await off(Math.round(later / 1000)))).toBeLessThan(2_000);
    expect(await off(later)).toBeCloseTo(15_000, -3);
    expect(Math.abs(await off(later, 'none'))).toBeLessThan(2_000);
  });
});

describe('an overlay for ids and codes', () => {
  const idsLike = (form: RegExp): Difference => ({
    answer(envelope, { path }) {
      const [, id] = /^\/api\/v1\/orders\/([^/]+)$/.exec(path) ?? [];
      if (id !== undefined && !form.test(id))
        Object.assign(envelope, { code: 10_001, errMsg: 'order not found', data: null });
    },
  });

  test('sends an order id without 0x, and reads both forms', async () => {
    const expected = await stage.client(1).order({ path: { orderId } });
    const bare = clientOf(idsLike(/^[0-9a-f]{64}$/), { orderIdForm: 'without-0x' });
    expect(await bare.order({ path: { orderId } })).toEqual(expected);
    const prefixed = clientOf(idsLike(/^0x/), { orderIdForm: 'with-0x' });
    expect(await prefixed.order({ path: { orderId: orderId.slice(2) } })).toEqual(expected);
    const plain = clientOf(idsLike(/^[0-9a-f]{64}$/));
    expect(await outcome(plain.order({ path: { orderId } }))).toMatch(/^VenueRefusedError/);
  });

  test('sets the code of a missing order', async () => {
    const differ: Difference = {
      answer: (envelope) => {
        if (envelope.code === 10_001)
          Object.assign(envelope, { code: 40_400, errMsg: 'no such transaction' });
      },
    };
    const asked = (client: VenueClient) =>
      outcome(createVenue(client, user()).orderByTx(`0x${'9'.repeat(64)}`));
    expect(await asked(clientOf(differ, { notFoundCode: 40_400 }))).toBeNull();
    expect(await asked(clientOf(differ))).toMatch(/^VenueRefusedError/);
  });
});

describe('an overlay for proof', () => {
  test('keeps an unproven word from ending an order, and shows the word', async () => {
    expect(await statuses(stage.client(1))).toContain('filled');
    const doubting = clientOf({}, { proof: { orderEnds: ['Canceled', 'Expired', 'Rejected', 'Failed'] } });
    expect(await statuses(doubting)).not.toContain('filled');
    const rows = await rowsFrom(doubting);
    expect(rows).toContainEqual(
      expect.objectContaining({ status: 'unrecognised', rawStatus: 'Filled (not believed)' }),
    );
  });

  test('keeps an unproven word from ending a transfer', async () => {
    const deposits = async (client: VenueClient) =>
      (await createVenue(client, user()).transfers('stockDeposit', { page: 1, limit: 10 })).rows.map((row) =>
        'status' in row ? row.status : 'unreadable',
      );
    expect(await deposits(stage.client(1))).toEqual(['success']);
    expect(await deposits(clientOf({}, { proof: { transferEnds: ['failed', 'Failed'] } }))).toEqual([
      'unrecognised',
    ]);
  });

  test('makes an unproven refusal of an order an unknown outcome', async () => {
    const late = { ...bodies.marketBuy(stage), deadline: stage.deadline(-10) };
    const sent = (client: VenueClient) => outcome(client.orderSend({ body: late as never }));
    expect(await sent(clientOf({}))).toMatch(/^VenueRefusedError.*deadline has expired/);
    const doubting = clientOf({}, { proof: { refusals: ['session', 'day-only'] } });
    expect(await sent(doubting)).toMatch(/^OutcomeUnknownError.*deadline has expired/);
  });
});
