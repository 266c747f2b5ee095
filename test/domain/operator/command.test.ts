import { expect, test } from 'vitest';
import {
  OperatorCommands,
  type CommandId,
  type OperatorAnswer,
} from '../../../src/domain/operator/command.ts';

const id = 'command-1' as CommandId;

/** True when a flatten with this answer still sells. */
function isFlatteningAfter(answer: OperatorAnswer): boolean | undefined {
  const commands = new OperatorCommands();
  const command = { kind: 'flatten', scope: {} } as const;
  commands.apply({ kind: 'operator', id, by: 'somebody', reason: 'because', command });
  commands.apply({ kind: 'operatorAnswered', id, answer });
  return commands.of(id)?.isFlattening;
}

test('a flatten that was refused sells nothing', () => {
  expect(isFlatteningAfter({ kind: 'refused', because: 'usage', text: 'no strategy z' })).toBe(false);
  expect(isFlatteningAfter({ kind: 'done', text: 'it sells', result: {} })).toBe(true);
});
