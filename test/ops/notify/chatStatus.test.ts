import { expect, test } from 'vitest';
import { chatStatus } from '../../../src/ops/notify/chat.ts';
import { HOLDING } from '../../cli/commands/daemon/statuses.ts';

test('a chat shows profits and losses with their signs, in cents', () => {
  const [strategy] = HOLDING.strategies;
  if (!strategy) throw new Error('no strategy');
  const status = {
    ...HOLDING,
    cash: '-3.5',
    pnl: { ...HOLDING.pnl, today: '-12.349' },
    strategies: [{ ...strategy, id: 'trend', pnl: { ...strategy.pnl, today: '7.5' } }],
  };
  const text = chatStatus(status);
  expect(text).toMatch(/cash -3\.50, today -12\.35$/m);
  expect(text).toMatch(/^trend: .*, today \+7\.50$/m);
});
