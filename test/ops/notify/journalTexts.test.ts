import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { OperatorCommand } from '../../../src/domain/operator/command.ts';
import { journalText } from '../../../src/ops/notify/journalTexts.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const textOf = (command: OperatorCommand) =>
  journalText(
    {
      seq: 1,
      at: epochMs(0),
      fact: { kind: 'operator', id: 'command-1' as CommandId, by: 'ann', reason: '', command },
    },
    { isOld: false, history: () => [] },
  );

test('an acknowledgement names its alarms, and one without alarms is no message', () => {
  const alarms = [{ id: 'a3', text: 'the node is down' }];
  expect(textOf({ kind: 'acknowledge', alarms })).toMatchObject({
    title: 'Alarm acknowledged',
    text: 'by ann:\na3 the node is down',
  });
  expect(textOf({ kind: 'acknowledge', alarms: [] })).toBeNull();
});
