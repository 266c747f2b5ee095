import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OperatorCommand } from '../../../src/domain/operator/command.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { slow } from './commands.ts';

const AAPL = ticker('AAPL');
const EVENING = epochMs(Date.parse('2026-06-15T23:00:00Z'));

const BUY: OperatorCommand = {
  kind: 'order',
  symbol: AAPL,
  terms: { kind: 'limit', side: 'buy', quantity: parseShares('1'), price: parsePrice('50'), goodTill: 'day' },
};

/** A manual command on the journal of an earlier stage. */
const manual = (options: StageOptions, how: 'reads' | 'sends' = 'sends'): Stage =>
  new Stage({ hooks: {}, ...options, more: { manual: how, strategies: [] } });

const give = (stage: Stage, command: OperatorCommand) =>
  stage.runner.command({ id: 'manual-0001' as CommandId, by: 'ada', reason: 'by hand', command });

const kindsIn = ({ lines }: Stage): string[] =>
  lines.map((line) => {
    const { fact, kind } = JSON.parse(line) as { fact?: { kind: string }; kind?: string };
    return fact?.kind ?? kind ?? '';
  });

test('a manual command without a run sends its own order, leaves a touched stop armed, and starts no run', async () => {
  const run = await new Stage({
    hooks: {
      solo: {
        onStart: ({ order }) => order.buy('AAPL', { shares: 10 }),
        onFill: ({ order }) => order.stop('AAPL', { all: true, stop: 95 }),
      },
    },
  }).play(10 * SECOND);
  run.venue.fill(run.venue.last);
  await run.pass(MINUTE);
  await run.stop();
  expect(run.runner.kernel.context.accountState.synthetics.live.size).toBe(1);
  const before = kindsIn(run).length;
  run.venue.prices.set('AAPL', parseCash('90'));
  const stage = await manual({ after: run }).play(10 * MINUTE);
  expect(stage.orders.map(({ id }) => id)).toEqual(['solo-1.1']);
  void give(stage, BUY);
  await stage.pass(10 * SECOND);
  expect(stage.orders.map(({ id }) => id)).toEqual(['solo-1.1', 'hand-3.1']);
  expect(stage.venue.rows).toHaveLength(2);
  await stage.stop();
  const kinds = kindsIn(stage).slice(before);
  for (const kind of ['started', 'stopping', 'ended', 'session']) expect(kinds).not.toContain(kind);
});

test('an order that a run left waiting for the open is not sent by a manual command', async () => {
  const run = await new Stage({
    start: EVENING,
    hooks: { solo: atStart((order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 50 })) },
  }).play(MINUTE);
  expect(run.runner.kernel.context.accountState.intents.size).toBe(1);
  await run.stop();
  const stage = await manual({ after: run }).play(16 * 60 * MINUTE);
  expect([stage.venue.rows, stage.runner.kernel.context.accountState.intents.size]).toEqual([[], 1]);
});

test('a limit order of a manual command is sent at once outside the session', async () => {
  const stage = await manual({ start: EVENING }).play(10 * SECOND);
  const answer = give(stage, BUY);
  await stage.pass(10 * SECOND);
  expect(await answer).toMatchObject({ kind: 'done', result: { order: 'hand-1.1' } });
  expect(stage.venue.rows).toHaveLength(1);
});

test.each(['before', 'after'] as const)(
  'an order of a manual command killed %s its plan is not sent by a later start',
  async (how) => {
    const first = await manual({ start: EVENING }).play(10 * SECOND);
    const { commits } = first;
    await first.stop();
    const stage = await manual({ start: EVENING, dies: { at: commits + 1, how } }).play(10 * SECOND);
    give(stage, BUY).catch(() => undefined);
    await stage.pass(10 * SECOND);
    expect(stage.venue.rows).toEqual([]);
    const next = await new Stage({ after: stage }).play(16 * 60 * MINUTE);
    expect(next.venue.rows).toEqual([]);
    expect(next.runner.kernel.context.accountState.intents.size).toBe(0);
  },
);

test('an order of a manual command killed while it waited behind another is not sent at the next open', async () => {
  const run = new Stage({
    start: epochMs(Date.parse('2026-06-15T19:59:30Z')),
    hooks: { solo: atStart((order) => order.buy('AAPL', { notional: 100 })) },
  });
  run.venue.fates.push('lostBefore');
  await run.play(10 * SECOND);
  const stage = await manual({ after: run }).play(15 * SECOND);
  expect(await give(stage, BUY)).toMatchObject({ kind: 'done', result: { state: 'waiting' } });
  const rules = { assumeGoneAfterMs: 5 * MINUTE };
  const next = await new Stage({ after: stage, rules }).play(18 * 60 * MINUTE);
  expect([next.venue.rows.length, next.states]).toEqual([0, ['neverExisted']]);
});

test.each([
  [2, 'before'],
  [2, 'after'],
  [3, 'before'],
  [3, 'after'],
] as const)(
  'an order of a command killed at commit %i, %s it, is found or was never sent, and never sent twice',
  async (at, how) => {
    const first = await manual({ start: EVENING }).play(10 * SECOND);
    const { commits } = first;
    await first.stop();
    const stage = await manual({ start: EVENING, dies: { at: commits + at, how } }).play(10 * SECOND);
    give(stage, BUY).catch(() => undefined);
    await stage.pass(10 * SECOND);
    const sent = stage.venue.rows.length;
    expect(sent).toBe(at === 2 ? 0 : 1);
    const next = await manual({ after: stage }).play(10 * MINUTE);
    expect(next.venue.rows).toHaveLength(sent);
    const [order] = next.runner.kernel.context.accountState.orders.values();
    if (sent === 1)
      expect(order?.state).toMatchObject({ kind: 'working', txHash: next.venue.rows[0]?.txHash });
    else expect(['unknown', 'abandoned', 'neverExisted', undefined]).toContain(order?.state.kind);
  },
);

test('a command that only reads sends nothing, not even a cancel that the run has left', async () => {
  const run = await new Stage({
    hooks: { solo: atStart((order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 50 })) },
  }).play(MINUTE);
  run.venue.delegationOn = false;
  await run.pass(MINUTE);
  void give(run, { kind: 'cancel', scope: {} });
  await run.pass(SECOND);
  expect([run.orders[0]?.cancel.kind, run.venue.cancels]).toEqual(['wanted', 0]);
  run.venue.delegationOn = true;
  const stage = await manual({ after: run }, 'reads').play(MINUTE);
  const answer = stage.runner.command({
    id: 'manual-0002' as CommandId,
    by: 'ada',
    reason: 'by hand',
    command: { kind: 'unfreeze', subject: 'AAPL' },
  });
  await stage.pass(MINUTE);
  expect(await answer).toMatchObject({ kind: 'refused' });
  expect(stage.venue.cancels).toBe(0);
});

test.each(['day', 'cancelled'] as const)(
  'an unsent order good till %s ends with its command, and is not sent by a later run',
  async (goodTill) => {
    const command = { ...BUY, terms: { ...BUY.terms, goodTill } } as OperatorCommand;
    const stage = await manual({}).play(10 * SECOND);
    stage.runner.kernel.context.market.follow(AAPL, () => undefined, []);
    const answer = give(stage, command);
    await stage.pass(SECOND);
    expect(await answer).toMatchObject({ kind: 'done', result: { state: 'waiting' } });
    await stage.stop();
    const { intents, commands } = stage.runner.kernel.context.accountState;
    expect([intents.size, commands.all[0]?.ended]).toMatchObject([0, { how: 'dropped' }]);
    const next = await new Stage({ after: stage }).play(2 * MINUTE);
    expect(next.venue.rows).toEqual([]);
  },
);

test('an order of a manual command that a hold stops before it is sent ends at once', async () => {
  const stage = await manual({ as: slow(20 * SECOND) }).play(10 * SECOND);
  void give(stage, BUY);
  await stage.pass(SECOND);
  expect(stage.states).toEqual(['planned']);
  stage.runner.kernel.context.holds.put('corporate action', 'AAPL is held for a look', AAPL);
  await stage.pass(MINUTE);
  expect(stage.states).toEqual(['abandoned']);
  const { intents, commands } = stage.runner.kernel.context.accountState;
  expect([intents.size, commands.all[0]?.ended?.why]).toEqual([0, expect.stringContaining('AAPL is held')]);
});
