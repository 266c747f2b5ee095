import { expect, test } from 'vitest';
import type { OperatorCommand } from '../../../src/domain/operator/command.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const acknowledge = (stage: Stage, id: string, alarm?: string) => {
  const command: OperatorCommand =
    alarm === undefined ? { kind: 'acknowledge' } : { kind: 'acknowledge', alarm };
  return stage.runner.command({ id: id as CommandId, by: 'ann', reason: 'seen', command });
};
const kindsOf = ({ notices }: Stage, about: string) =>
  notices.filter((notice) => notice.about === about).map(({ kind }) => kind);

test('an outage of reads is one alarm, and its all-clear reaches the channel of the alarm', async () => {
  const stage = await new Stage().play(10 * SECOND);
  stage.venue.readsFail = true;
  await stage.pass(3 * MINUTE);
  const texts = stage.runner.alarms.all.map(({ text }) => text);
  expect(texts.filter((text) => text.includes('nothing is sent until orders and account'))).toHaveLength(1);
  stage.venue.readsFail = false;
  await stage.pass(3 * MINUTE);
  expect(stage.runner.alarms.all).toEqual([]);
  for (const about of ['stale', 'read quotes']) expect(kindsOf(stage, about)).toEqual(['alarm', 'clear']);
});

test('One Click switched off raises an alarm that ends when it is on again', async () => {
  const stage = await new Stage().play(10 * SECOND);
  stage.venue.delegationOn = false;
  await stage.pass(MINUTE);
  expect(stage.runner.alarms.all).toMatchObject([
    { id: 'a1', text: 'One Click is off: nothing can be sent' },
  ]);
  stage.venue.delegationOn = true;
  await stage.pass(MINUTE);
  expect(stage.runner.alarms.all).toEqual([]);
});

test('a lost response is an alarm until the order is found', async () => {
  const stage = new Stage({ hooks: { solo: atStart((order) => void order.buy('AAPL', { notional: 200 })) } });
  stage.venue.fates.push('lostAfter');
  stage.venue.indexed = false;
  await stage.play(10 * SECOND);
  expect(stage.runner.alarms.all).toMatchObject([
    { strategyId: 'solo', text: expect.stringContaining('no usable response') as string },
  ]);
  for (const row of stage.venue.rows) row.shown = true;
  await stage.pass(MINUTE);
  expect(stage.runner.alarms.all).toEqual([]);
  expect(kindsOf(stage, 'unknown solo-1.1')).toEqual(['alarm', 'clear']);
});

test('an acknowledgement names its alarms, is carried out once, and refuses an unknown id', async () => {
  const stage = await new Stage().play(10 * SECOND);
  stage.venue.delegationOn = false;
  await stage.pass(MINUTE);
  const text = 'One Click is off: nothing can be sent';
  const first = await acknowledge(stage, 'command-1');
  expect(first).toEqual({
    kind: 'done',
    text: `acknowledged:\na1 ${text}`,
    result: { acknowledged: [{ id: 'a1', text }] },
  });
  expect(stage.runner.alarms.all).toMatchObject([{ id: 'a1', acknowledged: true }]);
  expect(await acknowledge(stage, 'command-1')).toEqual(first);
  expect(await acknowledge(stage, 'command-2')).toMatchObject({ kind: 'done', result: { acknowledged: [] } });
  expect(await acknowledge(stage, 'command-3', 'a9')).toMatchObject({ kind: 'refused', because: 'usage' });
  expect(await acknowledge(stage, 'command-4', 'a1')).toMatchObject({ kind: 'done' });
});

test('a repeated acknowledgement does not acknowledge an alarm that came after it', async () => {
  const stage = await new Stage().play(10 * SECOND);
  await acknowledge(stage, 'command-1');
  stage.venue.delegationOn = false;
  await stage.pass(MINUTE);
  await acknowledge(stage, 'command-1');
  expect(stage.runner.alarms.all).toMatchObject([{ id: 'a1', acknowledged: false }]);
});
