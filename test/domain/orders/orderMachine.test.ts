import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import {
  filledOf,
  hasEnded,
  type CancelState,
  type Order,
  type OrderEvent,
} from '../../../src/domain/orders/order.ts';
import { transition } from '../../../src/domain/orders/orderMachine.ts';
import type { OrderReport } from '../../../src/domain/venue.ts';
import {
  anOrder,
  aReport,
  DEADLINE,
  limitSell,
  SENT,
  settled,
  states,
  TX,
  type StateName,
} from '../orders.ts';
import { runs } from '../../runs.ts';

const reported = (changes: Partial<OrderReport>): OrderEvent => ({
  kind: 'reported',
  report: aReport(changes),
});
const cancelled = (pay: string, receive: string) =>
  reported({ status: 'cancelled', settlement: settled(pay, receive) });

const events = {
  sent: { kind: 'sent', at: SENT, deadline: DEADLINE },
  accepted: { kind: 'accepted', txHash: TX },
  acceptedAsAnother: { kind: 'accepted', txHash: '0xbb' },
  refused: { kind: 'refused', reason: 'session' },
  lost: { kind: 'lost', reason: 'reset' },
  mistaken: { kind: 'mistaken', reason: 'of another order' },
  abandoned: { kind: 'abandoned', reason: 'restart' },
  absent: { kind: 'absent', assumed: false },
  pending: reported({ status: 'pending', orderId: null }),
  unrecognised: reported({ status: 'unrecognised', rawStatus: 'Teleported' }),
  open: reported({}),
  canceling: reported({ status: 'canceling', rawStatus: 'canceling' }),
  filled: reported({ status: 'filled', settlement: settled('1001.1', '10') }),
  cancelledEmpty: reported({ status: 'cancelled' }),
  expired: reported({ status: 'expired' }),
  reverted: reported({ status: 'reverted', orderId: null }),
  openAsAnother: reported({ txHash: '0xbb' }),
} as const satisfies Record<string, OrderEvent>;

/** One event for each row of the table. */
const { acceptedAsAnother: _accepted, openAsAnother: _open, cancelledEmpty, ...plain } = events;
const tableEvents: Readonly<Record<string, OrderEvent>> = {
  ...plain,
  cancelled: cancelledEmpty,
  rejected: reported({ status: 'rejected' }),
  reopened: { kind: 'reopened', report: aReport() },
};

/** The outcome of an event: the state that follows, `-` for stale, `!` for illegal. */
const become = (order: Order, event: OrderEvent): string => {
  const result = transition(order, event);
  if (result.kind === 'stale') return '-';
  return result.kind === 'illegal' ? '!' : result.order.state.kind;
};

const source = readFileSync(new URL('../../../src/domain/orders/orderMachine.ts', import.meta.url), 'utf8');

/** Cells of a table in the module comment of the machine, by row and column; `corner` begins its first line. */
function tableOf(corner: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const [heading = [], ...rows] = source
    .slice(source.search(new RegExp(`^ \\*   ${corner} `, 'm')))
    .split(/^ \*\/?$/m, 1)
    .join('')
    .trim()
    .split('\n')
    .map((line) => line.replace(/^ ?\* +/, '').split(/ +/));
  return new Map(
    rows.map(([name = '', ...cells]) => [
      name,
      new Map(cells.map((cell, index) => [heading[index + 1] ?? '', cell])),
    ]),
  );
}

describe('the order transition table in the module comment', () => {
  const kinds = Object.keys(states).filter((name) => states[name as StateName].kind === name);
  const table = tableOf('event');
  const cases = Object.entries(tableEvents).flatMap(([name, event]) =>
    kinds.map((from) => ({ name, event, from: from as StateName })),
  );

  test('has every event and every state, and no other', () => {
    expect([...table.keys()].sort()).toEqual(Object.keys(tableEvents).sort());
    for (const row of table.values()) expect([...row.keys()].sort()).toEqual([...kinds].sort());
  });

  test.each(cases)('matches the code: $from, $name', ({ name, event, from }) => {
    expect(become(anOrder({ state: states[from] }), event)).toBe(table.get(name)?.get(from));
  });

  test.each(cases)(
    'matches the code for an end that only one source reports: $from, $name',
    ({ name, event, from }) => {
      if (event.kind !== 'reported' && event.kind !== 'refused') return;
      const order = anOrder({ state: states[from] });
      const claimed = transition(order, { kind: 'endClaimed', at: SENT, end: event });
      const cell = table.get(name)?.get(from) ?? '';
      if (cell === '-' || cell === '!') expect(claimed.kind).toBe(cell === '-' ? 'stale' : 'illegal');
      else expect(claimed).toEqual({ kind: 'moved', order: { ...order, claim: { at: SENT, end: event } } });
    },
  );

  const own = ['ownSent', 'ownUnknown', 'vanished', 'acknowledged', 'working', 'closed', 'reverted'] as const;
  test.each(own)("holds for %s, and refuses any transaction but the order's own", (from) => {
    for (const event of [events.acceptedAsAnother, events.openAsAnother])
      expect(become(anOrder({ state: states[from] }), event)).toBe('!');
    const { kind } = states[from];
    for (const [name, event] of Object.entries(tableEvents))
      expect(become(anOrder({ state: states[from] }), event)).toBe(table.get(name)?.get(kind));
  });

  test('lets an order without a known transaction take that of its row', () => {
    for (const from of ['sent', 'unknown', 'neverExisted'] as const) {
      expect(become(anOrder({ state: states[from] }), events.acceptedAsAnother)).toBe('acknowledged');
      expect(become(anOrder({ state: states[from] }), events.openAsAnother)).toBe('working');
    }
  });

  test('brings an order back with an alarm when the venue accepts it after an unproven refusal', () => {
    const order = anOrder({ state: { ...states.refused, sent: { at: SENT, deadline: DEADLINE } } });
    expect(transition(order, events.accepted)).toMatchObject({
      order: { state: { kind: 'acknowledged' } },
      alarm: 'an order that was refused has turned up',
    });
  });
});

describe('the cancel transition table in the module comment', () => {
  const cancels: Readonly<Record<CancelState['kind'], CancelState>> = {
    none: { kind: 'none' },
    wanted: { kind: 'wanted' },
    sent: { kind: 'sent', deadline: DEADLINE },
    unknown: { kind: 'unknown', deadline: DEADLINE },
    accepted: { kind: 'accepted', txHash: '0xdd', deadline: DEADLINE },
    refused: { kind: 'refused', reason: 'canceling', at: SENT },
  };
  const cancelEvents: readonly OrderEvent[] = [
    { kind: 'cancelWanted' },
    { kind: 'cancelSent', deadline: DEADLINE },
    { kind: 'cancelAccepted', txHash: '0xdd' },
    { kind: 'cancelRefused', reason: 'canceling', at: SENT },
    { kind: 'cancelLost' },
  ];
  const table = tableOf('cancel');
  const next = (order: Order, event: OrderEvent): string => {
    const result = transition(order, event);
    if (result.kind === 'moved') return result.order.cancel.kind;
    return result.kind === 'stale' ? '-' : '!';
  };

  test('has every event and every state of a cancel, and no other', () => {
    expect([...table.keys()]).toEqual(cancelEvents.map(({ kind }) => kind));
    for (const row of table.values()) expect([...row.keys()]).toEqual(Object.keys(cancels));
  });

  test.each(Object.entries(states))('matches the code for cancels of an order that is %s', (_name, state) => {
    for (const cancel of Object.values(cancels))
      for (const event of cancelEvents) {
        const order = anOrder({ state, cancel });
        const cell = hasEnded(order) ? '-' : table.get(event.kind)?.get(cancel.kind);
        expect(next(order, event), `${cancel.kind}, ${event.kind}`).toBe(cell);
      }
  });
});

describe('a transition of an order', () => {
  const move = (order: Order, event: OrderEvent) => {
    const result = transition(order, event);
    if (result.kind !== 'moved') throw new Error(`did not move: ${JSON.stringify(result)}`);
    return result;
  };

  test('keeps send time and deadline through unknown, never placed and accepted', () => {
    const lost = move(anOrder({ state: states.sent }), { kind: 'lost', reason: 'timeout' }).order;
    expect(lost.state).toEqual({ ...states.unknown, reason: 'timeout' });
    const gone = move(lost, { kind: 'absent', assumed: true }).order;
    expect(gone.state).toEqual({ ...states.neverExisted, assumed: true });
    const found = move(gone, { kind: 'accepted', txHash: TX });
    expect(found.order.state).toEqual(states.acknowledged);
    expect(found.alarm).toBe('an order taken for never placed has turned up');
    const late = move(gone, reported({ status: 'reverted' }));
    expect([late.order.state.kind, late.alarm]).toEqual(['reverted', undefined]);
  });

  test("keeps the hash of the wallet's own transaction from before its send to its end", () => {
    const sent = move(anOrder(), { kind: 'sent', at: SENT, deadline: DEADLINE, txHash: TX }).order;
    expect(sent.state).toEqual(states.ownSent);
    const lost = move(sent, { kind: 'lost', reason: 'reset' }).order;
    expect(lost.state).toEqual(states.ownUnknown);
    expect(move(lost, events.absent).order.state).toEqual(states.vanished);
    const { order } = move(lost, reported({ status: 'reverted', cause: 'out of gas' }));
    expect(order.state).toEqual({ ...states.reverted, cause: 'out of gas' });
  });

  test('keeps the hash of a vanished order, so that its own transaction brings it back with an alarm', () => {
    const { order } = move(anOrder({ state: states.acknowledged }), events.absent);
    expect(order.state).toEqual(states.vanished);
    expect(move(order, events.open).alarm).toBeDefined();
    expect(move(order, events.filled).alarm).toBeDefined();
  });

  test('keeps the reported lock of an open order, or its whole reserve when none is reported', () => {
    const open = (locked: bigint | null) =>
      move(anOrder({ state: states.sent }), reported({ locked })).order.state;
    expect(open(parseCash('500'))).toMatchObject({ locked: parseCash('500') });
    expect(open(null)).toMatchObject({ locked: parseCash('1001.1') });
  });

  test('keeps the cancel that is under way', () => {
    const cancel: CancelState = { kind: 'sent', deadline: DEADLINE };
    expect(move(anOrder({ state: states.working, cancel }), events.canceling).order.cancel).toEqual(cancel);
  });

  test('keeps terms, reserve and strategy in every case', () => {
    for (const state of Object.values(states))
      for (const event of Object.values(events)) {
        const result = transition(anOrder({ state }), event);
        if (result.kind === 'moved') expect({ ...result.order, state }).toEqual(anOrder({ state }));
      }
  });
});

describe('reports on an order', () => {
  const working = anOrder({ state: states.working });
  const sold = anOrder({ state: states.working, terms: limitSell('10', '100'), reserve: parseShares('10') });

  test.each<[name: string, order: Order, event: OrderEvent, becomes: string]>([
    ['the same status again is stale', working, reported({ rawStatus: 'New' }), '-'],
    [
      'another status text of an open order is kept',
      working,
      reported({ rawStatus: 'Partial filled' }),
      'working',
    ],
    [
      'a cancel under way is kept, whatever the status text',
      working,
      reported({ status: 'canceling', rawStatus: 'New' }),
      'working',
    ],
    ['a row without the venue’s id says nothing yet', working, reported({ orderId: null }), '-'],
    ['the venue’s id does not change', working, reported({ orderId: '0x02', rawStatus: 'Other' }), '!'],
    ['filled without a settlement waits for it', working, reported({ status: 'filled' }), '-'],
    ['a cancelled order may be partly filled', working, cancelled('500', '4'), 'closed'],
    ['a buy may fill below its limit', working, cancelled('1', '10'), 'closed'],
    [
      'a buy pays its reserve and a fiftieth of it where fees may have risen',
      working,
      cancelled('1021.12', '10'),
      'closed',
    ],
    ['a buy pays no more than a fiftieth above its reserve', working, cancelled('1021.13', '10'), '!'],
    ['a buy receives no more than it asked for', working, cancelled('1000', '10.1'), '!'],
    ['a negative payment is illegal', working, reportedWad(-1n, 0n), '!'],
    ['a negative receipt is illegal', working, reportedWad(0n, -1n), '!'],
    ['a sell pays no more shares than it has', sold, cancelled('10.1', '1000'), '!'],
    ['a sell pays no fraction of a share more than it has', sold, cancelled('10.00001', '1000'), '!'],
    ['a sell may receive any amount', sold, cancelled('10', '123456'), 'closed'],
  ])('give the expected transition: %s', (...[, order, event, becomes]) => {
    expect(become(order, event)).toBe(becomes);
  });

  test.each([
    ['1001.1', {}],
    ['1001.100001', {}],
    [
      '1001.2',
      { alarm: "it took 1001.2 mUSD, and at most 1001.1 was expected: the venue's fees may have risen" },
    ],
  ])('of %s paid where 1001.1 was reserved lead to %j', (pay, told) => {
    const result = transition(working, cancelled(pay, '10'));
    expect(result).toEqual({ kind: 'moved', order: expect.anything() as Order, ...told });
  });

  function reportedWad(pay: bigint, receive: bigint): OrderEvent {
    return reported({ status: 'cancelled', settlement: { ...settled('0', '0'), pay, receive } });
  }

  test.each<[name: string, event: OrderEvent, becomes: string]>([
    ['the same end again is stale', events.filled, '-'],
    ['another amount is illegal', cancelled('900', '9'), '!'],
    ['another end is illegal', cancelled('1001.1', '10'), '!'],
    [
      'a fee that is filled in later is no change',
      reported({ status: 'filled', settlement: { ...settled('1001.1', '10'), mintFee: parseCash('1') } }),
      '-',
    ],
  ])('on a closed order: %s', (_name, event, becomes) => {
    expect(become(anOrder({ state: states.closed }), event)).toBe(becomes);
  });

  test('treat an order id with and without 0x as the same id', () => {
    const order = anOrder({ state: { ...states.working, venueId: 'cd'.repeat(32) } });
    const as = (orderId: string) => become(order, reported({ orderId, rawStatus: 'Partial filled' }));
    expect(as(`0x${'cd'.repeat(32)}`)).toBe('working');
    expect(as(`0x${'ce'.repeat(32)}`)).toBe('!');
  });

  /** One life as the venue reports it, each report any number of times and in any order. */
  const histories: readonly (readonly Partial<OrderReport>[])[] = [
    [{ status: 'pending', orderId: null }, {}, { status: 'filled', settlement: settled('1001.1', '10') }],
    [
      {},
      { rawStatus: 'Partial filled' },
      { status: 'canceling', rawStatus: 'canceling' },
      { status: 'cancelled', settlement: settled('400', '4') },
    ],
    [
      { status: 'pending', orderId: null },
      { status: 'reverted', orderId: null },
    ],
    [{}, { status: 'expired' }],
  ];
  const from = fc.constantFrom<StateName>('sent', 'unknown', 'acknowledged', 'neverExisted', 'vanished');
  const told = fc.constantFrom(...histories).chain((history) =>
    fc.record({
      noise: fc.array(fc.constantFrom(...history)),
      all: fc.shuffledSubarray([...history], { minLength: history.length }),
      last: fc.constant(history.at(-1) ?? {}),
    }),
  );
  const after = (order: Order, event: OrderEvent) => {
    const result = transition(order, event);
    return result.kind === 'moved' ? result.order : order;
  };

  test('in any order, with repeats, end in the same state', () => {
    fc.assert(
      fc.property(from, told, (name, { noise, all, last }) => {
        const start = anOrder({ state: states[name] });
        const end = [...noise, ...all].map(reported).reduce(after, start);
        const { status } = last;
        expect(end.state.kind).toBe(status === 'reverted' ? 'reverted' : 'closed');
        if (end.state.kind !== 'closed') return;
        expect(end.state.how).toBe(status);
        expect(end.state.settlement).toEqual(last.settlement ?? null);
      }),
      { numRuns: runs(500) },
    );
  });

  test('never reopen an ended order, except with an alarm one never placed, refused or reverted', () => {
    const event = fc.constantFrom(...Object.values(events));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (all) => {
        let order = anOrder();
        for (const each of all) {
          const result = transition(order, each);
          if (result.kind !== 'moved') continue;
          if (hasEnded(order)) {
            expect(['neverExisted', 'refused', 'reverted']).toContain(order.state.kind);
            expect(result.alarm ?? result.warning).toBeDefined();
          }
          const settledBefore = filledOf(order);
          order = result.order;
          expect(filledOf(order) >= settledBefore).toBe(true);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});
