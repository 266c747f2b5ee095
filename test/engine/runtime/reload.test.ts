import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { Reload } from '../../../src/domain/operator/command.ts';
import type { Settings } from '../../../src/domain/operator/settings.ts';
import { SECOND, Stage } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const polling = { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 };
const settings = (orderNotional: string): Settings => ({
  limits: { orderNotional: parseCash(orderNotional) },
  ownLimits: { solo: { positionNotional: parseCash('900') } },
  polling,
});
const reload = (stage: Stage, given: Partial<Reload>) =>
  stage.runner.command({
    id: `command-${Math.random().toString(36).slice(2)}` as CommandId,
    by: 'ann',
    reason: 'more room',
    command: { kind: 'reload', changes: {}, ...given },
  });
const breach = ({ runner }: Stage): string | null => {
  const { rules } = runner.kernel.context;
  return rules.limits.orderNotional === undefined ? null : String(rules.limits.orderNotional);
};

test('a reload applies new limits and periods from then on, and is journaled with who and why', async () => {
  const stage = await new Stage({ limits: { orderNotional: parseCash('100') } }).play(10 * SECOND);
  const answer = await reload(stage, {
    changes: { 'limits.orderNotional': { from: '100', to: '500' } },
    before: settings('100'),
    settings: settings('500'),
    needsRestart: ['log.level'],
  });
  expect(answer).toEqual({
    kind: 'done',
    text: 'applies from now on:\nlimits.orderNotional: 100 → 500\nlog.level: needs a restart, and is not applied',
    result: {
      changes: { 'limits.orderNotional': { from: '100', to: '500' } },
      needsRestart: ['log.level'],
      dryRun: false,
    },
  });
  expect(breach(stage)).toBe(String(parseCash('500')));
  expect(stage.runner.kernel.context.polling).toEqual(polling);
  expect(stage.lines.join('\n')).toContain('more room');
});

test('a reload applies rules for external activity, and one without them keeps those of the run', async () => {
  const external = { orders: 'count', deposits: '', withdrawals: null, stockMoves: null } as const;
  const stage = await new Stage().play(10 * SECOND);
  const { context } = stage.runner.kernel;
  await reload(stage, { settings: { ...settings('500'), external } });
  expect(context.rules.external).toEqual(external);
  await reload(stage, { settings: settings('400') });
  expect(context.rules.external).toEqual(external);
});

test('a refused reload and a dry-run reload change nothing', async () => {
  const stage = await new Stage({ limits: { orderNotional: parseCash('100') } }).play(10 * SECOND);
  const refusal = { because: 'usage', text: 'x.yaml:1: limits: must be a mapping' } as const;
  expect(await reload(stage, { refusal })).toEqual({ kind: 'refused', ...refusal });
  expect(await reload(stage, { dryRun: true })).toMatchObject({ kind: 'done' });
  expect(breach(stage)).toBe(String(parseCash('100')));
});

test('a restart uses its config and not an earlier reload', async () => {
  const first = await new Stage().play(10 * SECOND);
  await reload(first, { settings: settings('500') });
  const second = await new Stage({ after: first }).play(10 * SECOND);
  expect(breach(second)).toBeNull();
});
