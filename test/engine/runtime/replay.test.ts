import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const entriesOf = ({ lines }: Stage): JournalEntry[] => [...memoryJournal(lines).entries()];

/** Replays the journal of `stage` with the strategies of `options`. */
const again = (stage: Stage, options: StageOptions) => {
  const { calendar, rules, strategies } = new Stage(options).options;
  return replay(
    entriesOf(stage),
    () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
  );
};

/** Buys at the start, offers a part by a resting order, and cancels that when the price has risen. */
const trader = (share = 0.5): StrategyHooks => ({
  onStart({ view, order }) {
    if (view.position('AAPL') === 0) order.buy('AAPL', { notional: '1000' }, 'the start');
  },
  onQuote({ view, order, price }) {
    if (price > 105) for (const { id } of view.orders('AAPL')) order.cancel(id, 'risen');
  },
  onFill({ order, fill }) {
    if (fill.side === 'buy')
      order.limit(
        'AAPL',
        { side: 'sell', shares: fill.shares * share, price: fill.price * 1.2, goodTill: 'cancelled' },
        'bought',
      );
  },
});

const data = { quotes: ['AAPL'] };
const optionsOf = (share?: number): StageOptions => ({ data, hooks: { solo: trader(share) } });

/** Assumptions of a config about a venue with other names. */
const assumptions = { units: { t: 's' }, proof: { orderEnds: ['Filled', 'Canceled'] } };

describe('the replay of a journal', () => {
  test('has the same result with and without the recorded assumptions about the venue', async () => {
    const stage = await played({ more: { assumptions } });
    expect(entriesOf(stage)[0]?.fact).toEqual({ kind: 'epoch', epoch: 1, assumptions });
    expect(again(stage, optionsOf())).toEqual({ orders: 2, wishes: 2, parting: null });
    expect(entriesOf(await played())[0]?.fact).toEqual({ kind: 'epoch', epoch: 1 });
  });

  test('has the same order intents and orders', async () => {
    const stage = await played();
    const { orders, wishes: intents, parting } = again(stage, optionsOf());
    expect(parting).toBeNull();
    expect({ orders, wishes: intents }).toEqual({ orders: 2, wishes: 2 });
    const cancelled = entriesOf(stage).filter(
      ({ fact }) => fact.kind === 'order' && fact.event.kind === 'cancelWanted',
    );
    expect(cancelled).toHaveLength(1);
  });

  test('names the first decision that other code makes differently', async () => {
    const { wishes: intents, parting } = again(await played(), optionsOf(0.25));
    expect(intents).toBe(1);
    expect(parting?.journal).toMatchObject({ kind: 'intentCreated', intent: { id: 'solo-2' } });
    expect(parting?.now).toMatchObject({ kind: 'intentCreated', intent: { id: 'solo-2' } });
    expect(parting?.now).not.toEqual(parting?.journal);
  });

  test('names the first decision that other code no longer makes', async () => {
    const { wishes: intents, parting } = again(await played(), { data, hooks: { solo: {} } });
    expect(intents).toBe(0);
    expect(parting?.journal).toMatchObject({ kind: 'intentCreated', intent: { id: 'solo-1' } });
  });

  test('holds back an exit that the run had held back', async () => {
    const stopper: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }, 'the start'),
      onFill({ order, fill }) {
        if (fill.side === 'buy') order.stop('AAPL', { all: true, stop: 95 }, 'guard');
      },
    };
    const options = { data, hooks: { solo: stopper } };
    const stage = await new Stage(options).play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    const { holds } = stage.runner.kernel.context;
    const place = stage.venue.place.bind(stage.venue);
    stage.venue.place = (...send) => {
      holds.put('blind', 'the key is refused');
      stage.venue.place = place;
      return place(...send);
    };
    stage.venue.prices.set('AAPL', parseCash('90'));
    await stage.pass(10 * SECOND);
    holds.lift('blind');
    await stage.pass(2 * MINUTE);
    const abandoned = entriesOf(stage).filter(
      ({ fact }) => fact.kind === 'order' && fact.event.kind === 'abandoned',
    );
    expect([abandoned.length, stage.venue.sends]).toEqual([1, 2]);
    expect(again(stage, options).parting).toBeNull();
  });

  test('keeps a target waiting while another strategy cancels its own order of that stock', async () => {
    const rester: StrategyHooks = {
      onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }, 'below'),
      onQuote({ order, price }) {
        if (price > 105) order.target('AAPL', { shares: 0 }, 'risen');
      },
    };
    const holder: StrategyHooks = {
      onQuote({ order, price }) {
        if (price > 102 && price < 105) order.target('AAPL', { shares: 1 }, 'risen a little');
      },
    };
    const options = { data, hooks: { rester, holder } };
    const stage = await new Stage(options).play(10 * SECOND);
    stage.venue.fill(stage.venue.last, 'open');
    await stage.pass(MINUTE);
    stage.venue.cash -= parseCash('500');
    await stage.pass(2 * MINUTE);
    for (const price of ['103', '106']) {
      stage.venue.prices.set('AAPL', parseCash(price));
      await stage.pass(10 * SECOND);
    }
    const asked = entriesOf(stage).filter(
      ({ fact }) => fact.kind === 'order' && fact.event.kind === 'cancelWanted',
    );
    expect(asked).toHaveLength(1);
    expect(stage.runner.kernel.context.accountState.intents.has('holder-2')).toBe(true);
    expect(again(stage, options).parting).toBeNull();
  });

  test('continues over a restart', async () => {
    const first = await played();
    const second = await new Stage({ ...optionsOf(), after: first }).play(MINUTE);
    second.runner.stop('enough');
    await second.pass(MINUTE);
    expect(again(second, optionsOf()).parting).toBeNull();
    expect(entriesOf(second).filter(({ fact }) => fact.kind === 'started')).toHaveLength(2);
  });

  test('continues over a start in a later session whose open precedes the first order', async () => {
    const buyer: StageOptions = {
      data,
      hooks: { solo: atStart((order) => order.buy('AAPL', { notional: '100' })) },
    };
    const first = await new Stage(buyer).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(MINUTE);
    first.crash();
    await first.clock.advanceBy(24 * 60 * MINUTE);
    const second = await new Stage({ ...buyer, after: first }).play(MINUTE);
    const kinds = entriesOf(second).map(({ fact }) => fact.kind);
    const since = kinds.slice(kinds.lastIndexOf('started'));
    expect(since.filter((kind) => ['intentCreated', 'session', 'planned'].includes(kind))).toEqual([
      'intentCreated',
      'session',
      'session',
      'planned',
    ]);
    expect(again(second, buyer).parting).toBeNull();
  });
});

/** A buy that fills, and a sell that rests until it is cancelled. */
async function played(more: StageOptions = {}): Promise<Stage> {
  const stage = await new Stage({ ...optionsOf(), ...more }).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', parseCash('110'));
  await stage.pass(MINUTE);
  return stage;
}
