import { expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OperatorCommand } from '../../../src/domain/operator/command.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';
import type { OrderTerms } from '../../../src/domain/venue.ts';
import type { SendFate } from '../fakeVenue.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { eventsOf, give, partingOf } from './commands.ts';

const LIMIT: OrderTerms = {
  type: 'limit',
  side: 'buy',
  symbol: ticker('AAPL'),
  stock: '0x00000000000000000000000000000000000000a1',
  quantity: parseShares('1'),
  price: parsePrice('50'),
};

/** A run that has seen an open external order. */
async function withExternal(options: StageOptions = {}) {
  const stage = await new Stage({ hooks: {}, ...options }).play(MINUTE);
  const { txHash } = stage.venue.foreign(LIMIT);
  await stage.pass(2 * MINUTE);
  expect([...stage.runner.kernel.context.accountState.externals.open.keys()]).toEqual([txHash]);
  return { stage, txHash };
}

const cancelling = (txHash: string): OperatorCommand => ({ kind: 'cancel', scope: {}, orders: [txHash] });

const progressOf = ({ runner }: Stage, id: string) => {
  const { isDone, left } = runner.progress(id as CommandId) ?? {};
  return { isDone, left };
};

test.each<[SendFate, cancels: readonly string[], left: string | null]>([
  ['accept', ['wanted', 'sent', 'accepted'], null],
  ['lostAfter', ['wanted', 'sent', 'lost'], null],
  ['lostBefore', ['wanted', 'sent', 'lost'], 'its cancel has no answer, no answer'],
  ['refuse', ['wanted', 'sent', 'refused'], 'its cancel was not taken, not open'],
])('a cancel of an external order that meets %s is sent once, and then done', async (fate, kinds, left) => {
  const { stage, txHash } = await withExternal();
  stage.venue.cancelFates.push(fate);
  expect(await give(stage, cancelling(txHash), 'cancel-0001')).toMatchObject({
    kind: 'done',
    result: { cancelled: 1 },
  });
  expect(progressOf(stage, 'cancel-0001')).toMatchObject({ isDone: false });
  await stage.pass(2 * MINUTE);
  expect(eventsOf(stage, 'externalCancel').map(({ event }) => event.kind)).toEqual(kinds);
  const about = left === null ? [] : [`external order ${txHash}: ${left}`];
  expect(progressOf(stage, 'cancel-0001')).toEqual({ isDone: true, left: about });
  expect(stage.venue.cancels).toBe(1);
  expect(partingOf(stage, { hooks: {} })).toBeNull();
});

test('a cancel of an external order after a refused one is sent, and is not done before', async () => {
  const { stage, txHash } = await withExternal();
  stage.venue.cancelFates.push('refuse');
  await give(stage, cancelling(txHash), 'cancel-0001');
  await stage.pass(MINUTE);
  await give(stage, cancelling(txHash), 'cancel-0002');
  expect(progressOf(stage, 'cancel-0002').isDone).toBe(false);
  await stage.pass(2 * MINUTE);
  expect(progressOf(stage, 'cancel-0002')).toEqual({ isDone: true, left: [] });
  expect(stage.venue.cancels).toBe(2);
});

test('a cancel of an external order is not sent while One Click is off, and says so', async () => {
  const { stage, txHash } = await withExternal();
  stage.venue.delegationOn = false;
  await stage.pass(2 * MINUTE);
  await give(stage, cancelling(txHash), 'cancel-0001');
  await stage.pass(SECOND);
  expect(progressOf(stage, 'cancel-0001')).toMatchObject({
    isDone: true,
    left: [expect.stringContaining('One Click is off')],
  });
  expect([stage.venue.cancels, eventsOf(stage, 'externalCancel').at(-1)?.event.kind]).toEqual([0, 'stopped']);
});

test.each([
  [1, 'before', 0],
  [1, 'after', 0],
  [2, 'before', 0],
  [2, 'after', 0],
  [3, 'before', 1],
  [3, 'after', 1],
] as const)(
  'a cancel of an external order killed at commit %i, %s it, is not sent again by a later run',
  async (at, how, sent) => {
    const first = await withExternal();
    const { commits } = first.stage;
    const { stage, txHash } = await withExternal({ dies: { at: commits + at, how } });
    stage.venue.cancelFates.push('late');
    give(stage, cancelling(txHash)).catch(() => undefined);
    await stage.pass(10 * SECOND);
    expect(stage.venue.cancels).toBe(sent);
    const next = await new Stage({ hooks: {}, after: stage }).play(5 * MINUTE);
    expect(next.venue.cancels).toBe(sent);
    expect([...next.runner.kernel.context.accountState.externals.open.keys()]).toEqual([txHash]);
  },
);
