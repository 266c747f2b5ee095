import { describe, expect, test } from 'vitest';
import { JournalLostError } from '../../../src/core/errors.ts';
import type { Journal } from '../../../src/domain/journalEvent.ts';
import { Runner } from '../../../src/engine/runtime/runner.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const WHY = 'journal.sqlite is gone under this run';
const later: StrategyHooks = {
  onStart: ({ order }) => void order.limit('MSFT', { side: 'buy', shares: 1, price: 40 }),
  onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
};
const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:01' as const }] };

/** A stage whose journal is lost at some moment, found by `how`. */
function losing(
  how: 'asked' | 'written' | 'in the commit of a send',
): Readonly<{ stage: Stage; lose: () => void }> {
  const stage = new Stage({ hooks: { solo: later }, data });
  let isLost = false;
  const { journal } = stage.options;
  const guarded: Journal = {
    ...journal,
    commit(batch) {
      journal.commit(batch);
      const isSend = batch.some(({ fact }) => fact.kind === 'order' && fact.event.kind === 'sent');
      if (isLost && (how === 'written' || isSend)) throw new JournalLostError(WHY);
    },
    lost: () => (isLost && how === 'asked' ? WHY : null),
  };
  Object.assign(stage, { runner: new Runner({ ...stage.options, journal: guarded }) });
  return { stage, lose: () => (isLost = true) };
}

describe('a journal lost during a run', () => {
  test.each(['asked', 'written', 'in the commit of a send'] as const)(
    'stops every send, with the open orders reported, when found %s',
    async (how) => {
      const { stage, lose } = losing(how);
      await stage.play(30 * SECOND);
      expect(stage.venue.sends).toBe(1);
      lose();
      await stage.pass(5 * MINUTE);
      expect(stage.venue.sends).toBe(1);
      if (how === 'asked') return;
      expect(stage.failure).toBeInstanceOf(JournalLostError);
      expect(stage.alarms.filter((text) => text === WHY)).toHaveLength(1);
      expect(stage.said(/buy 1 MSFT at 40 .* is left open/)).toBe(true);
    },
  );

  test('ends the run when the watch reports it', async () => {
    const { stage } = losing('asked');
    await stage.play(30 * SECOND);
    stage.runner.fail(new JournalLostError(WHY));
    await stage.pass(2 * MINUTE);
    expect(stage.failure?.message).toBe(WHY);
    expect(stage.venue.sends).toBe(1);
  });
});
