import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { parseCommand } from '../../src/emulator/machine/commands.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import { planOf, type Plan, type Submission } from './plan.ts';
import { Simulation } from './simulation.ts';
import { insistentOn } from './strategies.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/**
 * A position of about 9,000 mUSD, wanted at every quote by a strategy that has 40,000, on an account with a limit of
 * 25,000 a stock.
 */
const SHARES = 48;

/** The last 40 minutes of a session, with no faults but those of the test. */
function planWith(submission: Submission): Plan {
  const plan = planOf(1, { faults: false, short: true });
  const close = plan.sessions[0]?.close ?? plan.endAt;
  return {
    ...plan,
    submission,
    bounded: false,
    start: epochMs(close - 40 * MINUTE),
    healAt: close,
    strategies: [insistentOn('AAPL', { capital: '40000', shares: SHARES })],
  };
}

/** Runs under one rule of the fault plan, in force from the first send to the close. */
function simulationUnder(rule: object, submission: Submission = 'one-click'): Simulation {
  const simulation = new Simulation(planWith(submission), {});
  const { time, venue, plan } = simulation;
  const command = parseCommand('faults', { rules: [rule] });
  time.at(epochMs(plan.start + 1), () => venue.machine.command(command, time.now()));
  return simulation;
}

const ordersOf = ({ venue }: Simulation): readonly Order[] =>
  venue.machine.state.orders.filter(({ word }) => word !== 'Failed');

/** mUSD that the orders have spent or locked. */
const spentBy = (orders: readonly Order[]): bigint =>
  orders.reduce((sum, { settlement, reserve }) => sum + (settlement?.pay ?? reserve), 0n);

/** Most orders for one intent: one more may be sent before a false statement is detected, but no third. */
async function expectOneTooManyAtMost(simulation: Simulation): Promise<void> {
  const { violations } = await simulation.run();
  const orders = ordersOf(simulation);
  expect(orders.length).toBeGreaterThan(0);
  expect(orders.length).toBeLessThanOrEqual(2);
  expect(spentBy(orders), formatDecimal(spentBy(orders))).toBeLessThanOrEqual(parseCash('19000'));
  expect(violations.filter(({ promise }) => promise === 'P1' || promise === 'P5')).toEqual([]);
  expect(
    Object.entries(simulation.sometimes).some(([name, struck]) => /^rule /.test(name) && struck > 0),
  ).toBe(true);
}

const SEND = 'POST /api/v1/orders/send';
const OWN_SEND = { on: 'node', endpoint: 'eth_sendRawTransaction' };

describe('a strategy that requests its target at every quote', { timeout: 60_000 }, () => {
  test('buys its target once when nothing is misreported', async () => {
    const simulation = simulationUnder({ kind: 'interim', endpoint: SEND });
    await expectOneTooManyAtMost(simulation);
    expect(ordersOf(simulation)).toHaveLength(1);
  });

  describe.each(['Failed', 'Rejected', 'Canceled'])(
    'exceeds its target by one order at most when a filling order is reported as %s',
    (word) => {
      const told = (when: object) =>
        expectOneTooManyAtMost(simulationUnder({ kind: 'false-end', word, endpoint: SEND, ...when }));
      test('from the first moment, for good', { tags: word === 'Failed' ? [] : ['long'] }, () => told({}));
      test.each([
        ['from the first moment, for ten minutes', { forMs: 10 * MINUTE }],
        ['once it has been mined, for good', { afterMs: 4 * SECOND }],
        ['a minute later, for good', { afterMs: MINUTE }],
      ])('%s', { tags: ['long'] }, (_title, when) => told(when));
    },
  );

  describe.each(['watched', 'calldata'] as const)(
    'exceeds its target by one order at most when its %s node',
    (submission) => {
      const where = submission === 'calldata' ? OWN_SEND : { endpoint: SEND };
      test.each([
        ['reports status 0x0 in a recent block', { how: 'reverted' }],
        ['reports status 0x0 in a deep block', { how: 'reverted', depth: 500 }],
        ['shows no receipt', { how: 'missing' }],
      ])('%s', { tags: ['long'] }, (_title, lie) =>
        expectOneTooManyAtMost(simulationUnder({ kind: 'false-receipt', ...where, ...lie }, submission)),
      );
    },
  );

  test.each(['deadline has expired', 'timeInForce only supports DAY', 'notional is required'])(
    'exceeds its target by one order at most when the venue refuses an order it took: %s',
    { tags: ['long'] },
    (text) => expectOneTooManyAtMost(simulationUnder({ kind: 'false-refusal', text, endpoint: SEND })),
  );

  test.each([
    ['before it was planned', '"kind":"planned"'],
    ['before it was sent', '"kind":"sent"'],
    ['before its response', '"kind":"accepted"'],
    ['before its settlement', '"status":"filled"'],
  ])(
    'exceeds its target by one order at most after the journal is restored as it was %s',
    { tags: ['long'] },
    async (_title, until) => {
      const simulation = simulationUnder({ kind: 'interim', endpoint: SEND });
      const { disk, time, plan } = simulation;
      time.at(epochMs(plan.start + 20 * MINUTE), () => {
        const first = disk.lines.findIndex((line) => line.includes(until));
        expect(first).toBeGreaterThan(0);
        disk.lines.splice(first);
        simulation.life?.die('killed, and its journal restored');
      });
      await expectOneTooManyAtMost(simulation);
    },
  );
});
