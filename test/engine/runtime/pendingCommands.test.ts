import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import type { OperatorRequest } from '../../../src/domain/operator/command.ts';
import { AlarmBook } from '../../../src/engine/state/alarms.ts';
import { PendingCommands } from '../../../src/engine/runtime/pendingCommands.ts';
import type { KernelEvent, VenueLook } from '../../../src/engine/state/kernelEvent.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const request: OperatorRequest = {
  id: 'command-1' as CommandId,
  by: 'somebody',
  reason: 'because',
  command: { kind: 'accept', asset: 'KO' },
};

/** Commands of a run whose kernel throws at an event of this kind. */
function breaking(at: KernelEvent['kind'], look = (): Promise<VenueLook | null> => Promise.resolve(null)) {
  const broken: unknown[] = [];
  const commands = new PendingCommands({
    known: { of: () => undefined },
    alarms: new AlarmBook(),
    clock: new VirtualClock({ start: epochMs(0), pace: 'max' }),
    take: ({ kind }) => {
      if (kind === at) throw new Error(`broken at ${kind}`);
    },
    look,
    onFatal: (error) => broken.push(error),
  });
  return { commands, broken };
}

test('a run that throws while it takes a command ends', async () => {
  const { commands, broken } = breaking('operator');
  commands.begin();
  const answer = commands.give(request);
  commands.end();
  await expect(answer).rejects.toThrow('the run has ended');
  expect(broken).toEqual([new Error('broken at operator')]);
});

test('a run that throws while it decides a command ends', async () => {
  const { commands, broken } = breaking('lookedAtAll');
  commands.look(request.id);
  await expect.poll(() => broken).toEqual([new Error('broken at lookedAtAll')]);
});

test('a run ends when an account read for a command fails by a bug', async () => {
  const { commands, broken } = breaking('stop', () => Promise.reject(new Error('a bug')));
  commands.look(request.id);
  await expect.poll(() => broken).toEqual([new Error('a bug')]);
});

test('a command given during an account read waits for the next read', async () => {
  const looks: (() => void)[] = [];
  const decided: string[] = [];
  const commands = new PendingCommands({
    known: { of: () => undefined },
    alarms: new AlarmBook(),
    clock: new VirtualClock({ start: epochMs(0), pace: 'max' }),
    take: (event) => event.kind === 'lookedAtAll' && decided.push(event.id),
    look: () => new Promise((resolve) => looks.push(() => resolve(null))),
    onFatal: (error) => decided.push(String(error)),
  });
  commands.look(request.id);
  commands.look('command-2' as CommandId);
  expect(looks).toHaveLength(1);
  looks[0]?.();
  await expect.poll(() => looks).toHaveLength(2);
  expect(decided).toEqual(['command-1']);
  looks[1]?.();
  await expect.poll(() => decided).toEqual(['command-1', 'command-2']);
});
