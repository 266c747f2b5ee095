import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import {
  OperatorCommands,
  type CommandId,
  type OperatorAnswer,
} from '../../../src/domain/operator/command.ts';

const id = 'command-1' as CommandId;
const at = epochMs(0);
const counts = { restrictions: 0, freezes: 0 };

/** True when a flatten with this answer still sells. */
function isFlatteningAfter(answer: OperatorAnswer): boolean | undefined {
  const commands = new OperatorCommands();
  const command = { kind: 'flatten', scope: {} } as const;
  commands.apply({ kind: 'operator', id, by: 'somebody', reason: 'because', command }, at, counts);
  commands.apply({ kind: 'operatorAnswered', id, answer }, at, counts);
  return commands.of(id)?.isFlattening;
}

test('a flatten that was refused sells nothing', () => {
  expect(isFlatteningAfter({ kind: 'refused', because: 'usage', text: 'no strategy z' })).toBe(false);
  expect(isFlatteningAfter({ kind: 'done', text: 'it sells', result: {} })).toBe(true);
});
