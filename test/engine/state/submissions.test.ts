import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { transition } from '../../../src/domain/orders/orderMachine.ts';
import { moveTransfer, type TransferEvent } from '../../../src/domain/transfers/transfer.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { Looks, restartEvent } from '../../../src/engine/state/submissions.ts';
import { anOperation, opId } from '../../domain/operations.ts';
import { anOrder, DEADLINE, SENT, TX } from '../../domain/orders.ts';
import type { OrderEvent } from '../../../src/domain/orders/order.ts';

const source = readFileSync(new URL('../../../src/engine/state/submissions.ts', import.meta.url), 'utf8');
const [heading = [], ...rows] = source
  .slice(source.indexOf(' *   event '))
  .split(/^ \*$/m, 1)
  .join('')
  .trim()
  .split('\n')
  .map((line) => line.replace(/^ ?\* +/, '').split(/ +/));

const ORDER_EVENTS: Readonly<Record<string, readonly OrderEvent[]>> = {
  sent: [{ kind: 'sent', at: SENT, deadline: DEADLINE }],
  accepted: [{ kind: 'accepted', txHash: TX }],
  refused: [{ kind: 'refused', reason: 'session' }],
  lost: [{ kind: 'lost', reason: 'reset' }],
  abandoned: [{ kind: 'abandoned', reason: 'restart' }],
  absent: [
    { kind: 'absent', assumed: false },
    { kind: 'absent', assumed: true },
  ],
};
const TRANSFER_EVENTS: Readonly<Record<string, readonly TransferEvent[]>> = {
  sent: [{ kind: 'sent', at: SENT }],
  accepted: [{ kind: 'accepted', txHash: TX }],
  refused: [{ kind: 'refused', reason: 'session' }],
  lost: [{ kind: 'lost', reason: 'reset' }],
  abandoned: [{ kind: 'abandoned', reason: 'restart' }],
  absent: [{ kind: 'assumedGone' }, { kind: 'replaced' }],
};

/** Events that lead to each state, the same for orders and transfers. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  planned: [],
  sent: ['sent'],
  unknown: ['sent', 'lost'],
  acknowledged: ['sent', 'accepted'],
  refused: ['sent', 'refused'],
  neverExisted: ['sent', 'lost', 'absent'],
  abandoned: ['abandoned'],
};

const order = (state: string) => {
  if (state === 'later') return anOrder({ state: { kind: 'reverted', txHash: TX } });
  return (WAYS[state] ?? []).reduce((before, name) => {
    const result = transition(before, ORDER_EVENTS[name]?.[0] as OrderEvent);
    return result.kind === 'moved' ? result.order : before;
  }, anOrder());
};
const transfer = (state: string) => {
  if (state === 'later') return anOperation({ state: { kind: 'settled', txHash: TX, received: 100n } });
  return (WAYS[state] ?? []).reduce((before, name) => {
    const result = moveTransfer(before, TRANSFER_EVENTS[name]?.[0] as TransferEvent);
    return result.kind === 'moved' ? result.transfer : before;
  }, anOperation());
};

const cellOf = (result: ReturnType<typeof transition> | ReturnType<typeof moveTransfer>): string => {
  if (result.kind === 'stale') return '-';
  if (result.kind === 'illegal') return '!';
  return 'order' in result ? result.order.state.kind : result.transfer.state.kind;
};

describe('the transition table that orders and transfers share', () => {
  const cells = rows.flatMap(([event = '', ...row]) =>
    row.map((cell, index) => [event, heading[index + 1] ?? '', cell] as const),
  );
  test('has a row for each event and a column for each state', () => {
    expect(rows.map(([event]) => event)).toEqual(Object.keys(ORDER_EVENTS));
    expect(heading).toEqual(['event', ...Object.keys(WAYS), 'later']);
  });
  test.each(cells)('matches the code: %s in %s: %s', (event, state, cell) => {
    const [ofOrder = '', ofTransfer = ofOrder] = cell.split('/');
    for (const each of ORDER_EVENTS[event] ?? [])
      expect(cellOf(transition(order(state), each))).toBe(ofOrder);
    for (const each of TRANSFER_EVENTS[event] ?? [])
      expect(cellOf(moveTransfer(transfer(state), each))).toBe(ofTransfer);
  });
});

test('a restart makes sent orders unknown and planned ones abandoned, and leaves all others unchanged', () => {
  const kinds = Object.keys(WAYS).map((state) => [state, restartEvent(order(state).state)?.kind]);
  expect(Object.fromEntries(kinds)).toMatchObject({ planned: 'abandoned', sent: 'lost', unknown: undefined });
  expect(kinds.filter(([, kind]) => kind !== undefined)).toHaveLength(2);
});

describe('the counted reads of an order list', () => {
  const id = opId(1);
  const now = epochMs(SENT);
  test('start from zero when a list may contain the order', () => {
    const looks = new Looks<typeof id>();
    looks.countList(id, true);
    looks.countList(id, true);
    expect(looks.cleanLists(id)).toBe(2);
    looks.countList(id, false);
    expect(looks.cleanLists(id)).toBe(0);
  });
  test.each([
    ['its nonce is found used', undefined, { at: now, isReplaced: true }],
    ['its nonce is free again', { at: now, isReplaced: true }, { at: now, isReplaced: false }],
    ['its used nonce is unknown again', { at: now, isReplaced: true }, undefined],
  ])('start from zero when %s', (_when, before, after) => {
    const looks = new Looks<typeof id>();
    looks.noteChain(id, before, now);
    looks.countList(id, true);
    looks.noteChain(id, before, now);
    expect(looks.cleanLists(id)).toBe(1);
    looks.noteChain(id, after, now);
    expect(looks.cleanLists(id)).toBe(0);
  });
  test('raise one alarm per reason', () => {
    const looks = new Looks<typeof id>();
    expect(['a', 'a', 'b'].map((why) => looks.isFirstAlarm(id, why))).toEqual([true, false, true]);
  });
});
