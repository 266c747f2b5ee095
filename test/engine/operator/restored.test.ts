import { describe, expect, test } from 'vitest';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import type { OperatorAnswer, OperatorCommand } from '../../../src/domain/operator/command.ts';
import { encode } from '../../../src/store/codec.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { eventsOf, give } from './commands.ts';

const resume: OperatorCommand = { kind: 'trade', state: 'active', scope: {} };
const data = { quotes: ['AAPL', 'MSFT'] };
/** Rules of a run that may expect external orders. */
const rulesFor = (orders: 'alarm' | 'count') => ({
  orders,
  deposits: null,
  withdrawals: null,
  stockMoves: null,
});
/** Buys the stock unless it is held. */
const buyer = atStart((order) => {
  order.target('AAPL', { notional: 1_000 });
});

/** The journal of a run as a backup has it: with a halt at its end. */
function backupOf({ lines, clock }: Stage): string[] {
  const fact: JournalEvent = {
    kind: 'restricted',
    state: 'halted',
    cause: 'restored',
    scope: {},
    by: 'backup',
    reason: 'restored',
  };
  return [...lines, encode({ at: clock.now(), fact })];
}

/** Runs on a journal that replaces that of `run`, on the same venue. */
function restored(run: Stage, lines: readonly string[], options: StageOptions): Stage {
  run.crash();
  run.lines.splice(0, run.lines.length, ...lines);
  return new Stage({ ...options, after: run });
}

async function answerTo(stage: Stage, command: OperatorCommand): Promise<OperatorAnswer> {
  const given = give(stage, command);
  await stage.pass(5 * SECOND);
  return given;
}

const externals = (stage: Stage) =>
  [...stage.runner.kernel.context.accountState.externals.unaccepted.values()].map(({ txHash }) => txHash);

describe.each([['alarm'], ['count']] as const)(
  'a restored journal with the policy `%s` for external orders',
  (orders) => {
    const options: StageOptions = { hooks: { solo: buyer }, data, rules: { external: rulesFor(orders) } };

    test('sends nothing, and resumes only once everything that happened since is accepted', async () => {
      const first = await new Stage({ hooks: { solo: {} }, data }).play(SECOND);
      const backup = backupOf(first);
      const buying = await new Stage({ ...options, after: first }).play(MINUTE);
      buying.venue.fill(buying.venue.last);
      await buying.pass(MINUTE);
      expect(buying.venue.sends).toBe(1);

      const again = await restored(buying, backup, options).play(5 * MINUTE);
      expect(again.alarms[0]).toMatch(/^trading is halted: restored/);
      expect(await answerTo(again, resume)).toMatchObject({
        because: 'safety',
        text: expect.stringMatching(
          /ledger and venue still differ:\n {2}mUSD: .*\n {2}AAPL: 0 .*, 10 at/,
        ) as string,
      });
      for (const asset of ['mUSD', 'AAPL'])
        expect(await answerTo(again, { kind: 'accept', asset })).toMatchObject({ kind: 'done' });
      const [txHash = ''] = externals(again);
      expect(await answerTo(again, resume)).toMatchObject({
        because: 'safety',
        text: expect.stringMatching(
          `restored from a backup, and orders .*\n  order ${txHash} \\(buy AAPL, ended\\)`,
        ) as string,
      });
      expect(await answerTo(again, { kind: 'acceptOrder', txHash })).toMatchObject({ kind: 'done' });
      await again.pass(MINUTE);
      expect([again.runner.phase, again.venue.sends]).toEqual(['running', 1]);

      expect(await answerTo(again, resume)).toMatchObject({ kind: 'done', result: { state: 'active' } });
      await again.pass(MINUTE);
      expect(again.venue.sends).toBe(1);
      expect(eventsOf(again, 'restrictionLifted')).toMatchObject([{ cause: 'restored', scope: {} }]);
    });
  },
);

test('a restored journal stays halted over a restart, although ledger and venue agree', async () => {
  const first = await new Stage({ hooks: { solo: {} }, data }).play(SECOND);
  const again = await restored(first, backupOf(first), { hooks: { solo: buyer }, data }).play(MINUTE);
  again.crash();
  const next = await new Stage({ hooks: { solo: buyer }, data, after: again }).play(5 * MINUTE);
  expect([next.runner.phase, next.venue.sends]).toEqual(['running', 0]);
  expect(await answerTo(next, resume)).toMatchObject({ kind: 'done' });
});

test('an order that waits in a restored journal and was sent since is not sent again', async () => {
  const rests: StrategyHooks = atStart((order) => {
    order.limit('AAPL', { side: 'buy', shares: 1, price: 90, goodTill: 'cancelled', at: '10:05' });
  });
  const options: StageOptions = { hooks: { solo: rests }, data, rules: { external: rulesFor('count') } };
  const first = await new Stage(options).play(MINUTE);
  const backup = backupOf(first);
  await first.pass(10 * MINUTE);
  first.venue.fill(first.venue.last);
  await first.pass(MINUTE);
  expect(first.venue.sends).toBe(1);

  const again = await restored(first, backup, { ...options, hooks: { solo: {} } }).play(MINUTE);
  const [txHash = ''] = externals(again);
  expect(await answerTo(again, { kind: 'acceptOrder', txHash })).toMatchObject({ kind: 'done' });
  for (const asset of ['mUSD', 'AAPL'])
    expect(await answerTo(again, { kind: 'accept', asset })).toMatchObject({ kind: 'done' });
  await again.pass(MINUTE);
  const refused = await answerTo(again, resume);
  const [id = ''] = /drover cancel (\S+)`/.exec(refused.text)?.slice(1) ?? [];
  expect(refused.text).toContain(
    `may have been sent after the backup, and would be sent again:\n  ${id} on AAPL, as order ${txHash}`,
  );
  expect(await answerTo(again, { kind: 'cancel', scope: {}, orders: [id] })).toMatchObject({ kind: 'done' });
  expect(await answerTo(again, resume)).toMatchObject({ kind: 'done' });
  await again.pass(5 * MINUTE);
  expect(again.venue.sends).toBe(1);
});
