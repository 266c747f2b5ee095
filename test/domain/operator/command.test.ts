import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { OperatorAnswer } from '../../../src/domain/operator/command.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';
import { OperatorCommands } from '../../../src/domain/operator/operatorCommands.ts';

const id = 'command-1' as CommandId;
const at = epochMs(0);
const counts = { restrictions: 0, freezes: 0 };

/** True when a flatten with this answer is still selling. */
function isFlatteningAfter(answer: OperatorAnswer): boolean | undefined {
  const commands = new OperatorCommands();
  const command = { kind: 'flatten', scope: {} } as const;
  commands.apply({ kind: 'operator', id, by: 'somebody', reason: 'because', command }, at, counts);
  commands.apply({ kind: 'operatorAnswered', id, answer }, at, counts);
  return commands.of(id)?.isFlattening;
}

test('a refused flatten starts no selling, an accepted one does', () => {
  expect(isFlatteningAfter({ kind: 'refused', because: 'usage', text: 'no strategy z' })).toBe(false);
  expect(isFlatteningAfter({ kind: 'done', text: 'it sells', result: {} })).toBe(true);
});

test('operator commands keep the first answers however many follow, and list the last 10,000', () => {
  const commands = new OperatorCommands();
  const idOf = (number: number) => `command-${number}` as CommandId;
  const give = (number: number, state: 'halted' | 'reducing') => {
    const command = { kind: 'trade', state, scope: {} } as const;
    const request = { id: idOf(number), by: 'bot', reason: 'no signal', command };
    commands.apply({ kind: 'operator', ...request }, at, counts);
    const answer = { kind: 'done', text: `trading is ${state}`, result: { state, left: [] } } as const;
    commands.apply({ kind: 'operatorAnswered', id: idOf(number), answer }, at, counts);
    return { request, answer };
  };
  const [first, second] = [give(0, 'halted'), give(1, 'reducing')];
  for (let number = 2; number < 12_000; number++) give(number, 'halted');
  expect([commands.of(idOf(0)), commands.of(idOf(1))]).toMatchObject([first, second]);
  expect(commands.of(idOf(11_999))?.at).toBe(at);
  expect(commands.all).toHaveLength(10_000);
});

test('a flatten keeps its order intents and what it left over, however many commands follow', () => {
  const commands = new OperatorCommands();
  const flatten = { kind: 'flatten', scope: {} } as const;
  const cancel = { kind: 'cancel', scope: {} } as const;
  const answer = { kind: 'done', text: 'it sells', result: {} } as const;
  commands.apply({ kind: 'operator', id, by: 'ann', reason: 'x', command: flatten }, at, counts);
  commands.apply({ kind: 'operatorAnswered', id, answer }, at, counts);
  commands.noteIntent(id, 'solo-1');
  for (let number = 2; number < 12_000; number++) {
    const other = `command-${number}` as CommandId;
    commands.apply({ kind: 'operator', id: other, by: 'ann', reason: 'x', command: cancel }, at, counts);
    commands.apply({ kind: 'operatorAnswered', id: other, answer }, at, counts);
  }
  commands.apply({ kind: 'flattened', id, why: 'done', left: ['dust'] }, at, counts);
  expect(commands.of(id)).toMatchObject({ intents: ['solo-1'], left: ['dust'], isFlattening: false });
});
