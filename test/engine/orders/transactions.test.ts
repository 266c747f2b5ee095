import { beforeEach, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { cash, parseCash } from '../../../src/core/amount.ts';
import { DOCUMENTED_FEES } from '../../../src/domain/fees.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { anOperation, opId, USDC } from '../../domain/operations.ts';
import { anOrder, DEADLINE, id, SENT, TX, VENUE_ID } from '../../domain/orders.ts';

const OTHER = '0xbb';
const SEND = { kind: 'sent', at: SENT, deadline: DEADLINE } as const;

let kernel: Kernel;

/** Two orders that have been sent, and a transfer. */
beforeEach(() => {
  kernel = new Kernel({
    calendar: tradingCalendar,
    rules: { limits: {}, ownLimits: new Map(), collarBps: 50, deadlineMs: 90_000, fees: DOCUMENTED_FEES },
    strategies: [],
    obstacles: { reason: () => null },
  });
  const { context } = kernel;
  context.begin(SENT);
  context.record({ kind: 'opened', cash: parseCash('10000'), holdings: [], equity: parseCash('10000') });
  context.record({ kind: 'walletOpened', tokens: [[USDC, 1_000n]], stocks: [] });
  context.record({ kind: 'allocated', strategyId: 'alpha', amount: cash(parseCash('5000')) });
  for (const name of ['w1', 'w2']) {
    context.record({ kind: 'planned', order: anOrder({ id: id(`${name}.1`), intentId: name }) });
    context.move(id(`${name}.1`), SEND);
  }
  context.record({ kind: 'transferPlanned', transfer: anOperation() });
  context.record({ kind: 'transfer', id: opId(1), event: { kind: 'sent', at: SENT } });
});

const alarms = (of: ReturnType<Kernel['handle']>) =>
  of.notices.flatMap(({ kind, text }) => (kind === 'alarm' ? [text] : []));
const accepted = (txHash: string) => ({ kind: 'accepted', txHash }) as const;
const stateOf = (order: string) => kernel.context.accountState.order(id(order)).state.kind;

test('an order answered with the transaction of a transfer is unknown', () => {
  kernel.handle({ kind: 'operated', id: opId(1), outcome: accepted(TX) }, SENT);
  const step = kernel.handle({ kind: 'placed', id: id('w1.1'), outcome: accepted(TX) }, SENT);
  expect(alarms(step).join()).toMatch(/w1\.1 with a transaction that belongs to operation op-1/);
  expect(stateOf('w1.1')).toBe('unknown');
});

test('a transfer answered with the transaction of an order is unknown', () => {
  kernel.handle({ kind: 'placed', id: id('w1.1'), outcome: accepted(TX) }, SENT);
  const step = kernel.handle({ kind: 'operated', id: opId(1), outcome: accepted(TX) }, SENT);
  expect(alarms(step).join()).toMatch(/op-1 with a transaction that belongs to order w1\.1/);
  expect(kernel.context.accountState.transfers.of(opId(1)).state.kind).toBe('unknown');
});

test('a transfer answered with the transaction of a cancel is unknown', () => {
  cancelled(OTHER);
  const step = kernel.handle({ kind: 'operated', id: opId(1), outcome: accepted(OTHER) }, SENT);
  expect(alarms(step).join()).toMatch(/op-1 with a transaction that belongs to a cancel/);
  expect(kernel.context.accountState.transfers.of(opId(1)).state.kind).toBe('unknown');
});

test('a cancel answered with the transaction of a transfer is unknown', () => {
  kernel.handle({ kind: 'operated', id: opId(1), outcome: accepted(TX) }, SENT);
  const step = cancelled(TX);
  expect(alarms(step).join()).toMatch(/cancel of w2\.1 with a transaction that belongs to operation op-1/);
  expect(kernel.context.accountState.order(id('w2.1')).cancel.kind).toBe('unknown');
});

/** Sends a cancel of the second order, which is answered with a transaction. */
function cancelled(txHash: string) {
  const { context } = kernel;
  context.move(id('w2.1'), { kind: 'accepted', txHash: '0xcc' });
  context.move(id('w2.1'), {
    kind: 'reported',
    report: {
      txHash: '0xcc',
      orderId: VENUE_ID,
      status: 'open',
      rawStatus: 'open',
      createdAt: SENT,
      terms: null,
      locked: null,
      settlement: null,
    },
  });
  context.move(id('w2.1'), { kind: 'cancelWanted' });
  context.move(id('w2.1'), { kind: 'cancelSent', deadline: DEADLINE });
  return kernel.handle({ kind: 'cancelled', id: id('w2.1'), outcome: accepted(txHash) }, SENT);
}
