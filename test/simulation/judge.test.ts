import { describe, expect, test } from 'vitest';
import type { RawResponse, TransportRequest } from '../../src/api/transport.ts';
import { parseCash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import { JudgeStage, moved, planned, sent } from './judgeStage.ts';

const request = (id: string) =>
  ({ method: 'POST', uri: '/api/v1/orders/send', nonce: `n-${id}` }) as unknown as TransportRequest;
const reported = (id: string, status: string) => moved(id, { kind: 'reported', report: { status } });
const absent = (id: string, assumed = false) => moved(id, { kind: 'absent', assumed });
const booksWith = (id: string, state: object) =>
  ({ orders: new Map([[id, { id, state }]]) }) as unknown as AccountState;
const NO_BOOKS = { orders: new Map() } as unknown as AccountState;

/** Ids of orders of one stock and 9,000 mUSD each: beyond position and doubt together, with one order more. */
const MANY = Array.from({ length: 8 }, (_, index) => `a-${index}.1`);
const ended = (how: (id: string) => readonly JournalEvent[]) =>
  MANY.flatMap((id) => [planned(id), sent(id), ...how(id)]);

/** Has the run read prices, orders and account, a second after the beginning. */
function readAll({ judge }: JudgeStage): void {
  const took = { begun: epochMs(1_000), now: epochMs(1_000) };
  const answers = {
    '/api/v1/symbols': [{ symbol: 'KO', price: 60, lastUpdateTimestamp: 1 }],
    '/api/v1/orders?page=1': [],
    '/api/v1/account/balance': {},
  };
  for (const [uri, data] of Object.entries(answers)) {
    const body = `{"code":200,"data":${JSON.stringify(data)},"t":1}`;
    judge.answered({ uri } as TransportRequest, { status: 200, body } as RawResponse, took);
  }
}

describe('promise P1 in the judge', () => {
  test('is broken by an order that is sent twice', () => {
    expect(new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'), sent('a-1.1')).found).toEqual([
      'P1 order a-1.1 is sent a second time',
    ]);
  });

  test('is broken by a send without its request', () => {
    expect(new JudgeStage().commit(planned('a-1.1'), moved('a-1.1', { kind: 'sent' })).found).toEqual([
      'P1 order a-1.1 is sent without its request',
    ]);
  });

  test('is broken by a request that leaves before it is journaled, and by one that leaves twice', () => {
    const stage = new JudgeStage();
    stage.judge.leaves(request('a-1.1'), epochMs(0));
    stage.judge.leaves(request('a-1.1'), epochMs(0));
    expect(stage.found).toEqual([
      'P1 POST /api/v1/orders/send leaves before it is in the journal',
      'P1 the request of POST /api/v1/orders/send leaves a second time',
    ]);
  });

  test('is broken by signed bytes that a later process offers again, not by the process that signed them', () => {
    const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1', '0x7'));
    stage.judge.offered('0x7', epochMs(0));
    stage.judge.offered('0x7', epochMs(0));
    const before = stage.found.filter((text) => text.startsWith('P1'));
    stage.judge.born();
    stage.judge.offered('0x7', epochMs(0));
    expect([before, stage.found.filter((text) => text.startsWith('P1'))]).toEqual([
      [],
      ['P1 the transaction 0x7 leaves again after a restart'],
    ]);
  });
});

describe('promises P2 and P3 in the judge', () => {
  test('are broken by an order that the journal calls never sent and the venue has', () => {
    const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'));
    stage.atVenue('a-1.1');
    stage.judge.believes(booksWith('a-1.1', { kind: 'abandoned' }));
    expect(stage.found).toEqual(['P2 a-1.1 is abandoned, but the venue took it as 0x-a-1.1']);
  });

  test('are broken by an order that ended as never placed and had been mined in time', () => {
    const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'), absent('a-1.1'));
    stage.atVenue('a-1.1');
    stage.judge.believes(NO_BOOKS);
    expect(stage.found).toEqual(['P3 a-1.1 was closed as never placed, but 0x-a-1.1 is Filled']);
  });

  test('are broken by an order that ended as never placed and turns up', () => {
    const stage = new JudgeStage().commit(
      planned('a-1.1'),
      sent('a-1.1'),
      absent('a-1.1'),
      reported('a-1.1', 'filled'),
    );
    expect(stage.found).toEqual(['P3 a-1.1 was closed as never placed, and turns up']);
  });

  test.each([
    ['an absence that was assumed', true, { minedAt: 0 }],
    ['an order that reverts later', false, { minedAt: 150_001, word: 'Failed' }],
    ['an order that is not mined', false, { minedAt: null, word: 'Pending' }],
  ])('are kept by %s', (_what, assumed, order) => {
    const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'), absent('a-1.1', assumed));
    stage.atVenue('a-1.1', order);
    stage.judge.believes(NO_BOOKS);
    expect(stage.found).toEqual([]);
  });
});

test.each([
  [
    'within its deadline and the margin breaks P3',
    150_000,
    ['P3 a-1.1 was closed as never placed, and turns up'],
  ],
  ['after its deadline and the margin keeps P3', 150_001, []],
])('a revert of an order closed as never placed that was mined %s', (_when, minedAt, found) => {
  const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'), absent('a-1.1'));
  stage.atVenue('a-1.1', { minedAt, word: 'Failed' });
  expect(stage.commit(reported('a-1.1', 'reverted')).found).toEqual(found);
});

describe('promise P5 in the judge, if every end in doubt is false,', () => {
  test.each<[string, (id: string) => readonly JournalEvent[]]>([
    ['cancels that nobody requested', (id) => [reported(id, 'cancelled')]],
    ['requested cancels', (id) => [moved(id, { kind: 'cancelWanted' }), reported(id, 'cancelled')]],
    ['expiries', (id) => [reported(id, 'expired')]],
    ['rejections', (id) => [reported(id, 'rejected')]],
    ['reverts without a cause', (id) => [reported(id, 'reverted')]],
    ['refusals that are not documented', (id) => [moved(id, { kind: 'refused', unproven: true })]],
    ['absences of hashes that the venue named', (id) => [absent(id)]],
  ])('is broken by too many %s in one stock', (_what, how) => {
    expect(new JudgeStage().commit(...ended(how)).mined()).toEqual([
      expect.stringMatching(/^P5 KO stands at 72000.*, above 60000.*, if all in doubt were lies$/),
    ]);
  });

  test('counts each doubted order once, with its amount at the venue', () => {
    const stage = new JudgeStage('90000').commit(...ended((id) => [reported(id, 'rejected')]));
    for (const id of MANY) stage.atVenue(id, { reserve: parseCash('2000') });
    expect(stage.mined()).toEqual([
      expect.stringMatching(/^P5 KO stands at 72000, above 60000, if all in doubt were lies$/),
    ]);
  });

  test('is kept by documented refusals and by ends whose doubt is over', () => {
    expect(new JudgeStage().commit(...ended((id) => [moved(id, { kind: 'refused' })])).mined()).toEqual([]);
    const stage = new JudgeStage().commit(
      ...ended((id) => [moved(id, { kind: 'cancelWanted' }), reported(id, 'cancelled')]),
    );
    stage.now = 16 * 60_000;
    expect(stage.mined()).toEqual([]);
  });
});

describe('promise P5 in the judge', () => {
  const deals = (isShown: (id: string) => boolean, capital = '50000') => {
    const stage = new JudgeStage(capital).commit(...ended(() => []));
    for (const id of MANY) stage.atVenue(id, { reserve: parseCash('3600') }, isShown(id));
    return stage.mined();
  };

  test('is broken by spending beyond the capital and by a position above its limit', () => {
    expect(deals(() => true, '20000')).toEqual(['P5 a has spent 28800 of a capital of 20000']);
    expect(deals(() => true)).toEqual(['P5 KO stands at 28800, above 25000']);
  });

  test('counts orders that the run knows of, and no others beyond the one in doubt', () => {
    const isShown = (id: string) => id !== 'a-7.1';
    expect(deals(isShown, '20000')).toEqual(['P5 a has spent 25200 of a capital of 20000']);
    expect(deals((id) => id < 'a-5', '20000')).toEqual([]);
  });

  test('is broken by an order for another stock than the journal says', () => {
    const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'));
    stage.judge.accepted('n-a-1.1', stage.atVenue('a-1.1', { symbol: 'AAPL' }), epochMs(0));
    expect(stage.found).toEqual(['P5 a-1.1 is for KO and trades AAPL']);
  });

  test('is broken by more orders within a minute than the limit', () => {
    const stage = new JudgeStage();
    readAll(stage);
    for (let index = 0; index < 13; index++) {
      stage.commit(planned(`a-${index}.1`), sent(`a-${index}.1`));
      stage.judge.leaves(request(`a-${index}.1`), epochMs(1_000 + index));
    }
    expect(stage.found).toEqual(['P5 13 orders within a minute']);
  });
});

test('promise P6 in the judge is broken by an order before any read, and kept after fresh reads', () => {
  const stage = new JudgeStage().commit(planned('a-1.1'), sent('a-1.1'), planned('a-2.1'), sent('a-2.1'));
  stage.judge.leaves(request('a-1.1'), epochMs(1_000));
  const kinds = ['prices', 'orders', 'account'];
  expect(stage.found).toEqual(kinds.map((what) => `P6 order a-1.1 on ${what} Infinity ms old`));
  readAll(stage);
  stage.judge.leaves(request('a-2.1'), epochMs(2_000));
  expect(stage.found).toHaveLength(3);
});
