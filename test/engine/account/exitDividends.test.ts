import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { CorporateAction } from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { BracketTerms, HookContext } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { atStart, MINUTE, Stage, type StageOptions } from '../stage.ts';
import { sells, syntheticsOf } from '../synthetic/play.ts';

const AAPL = ticker('AAPL');
const HOUR = 60 * MINUTE;

/** Ten minutes before the close of Monday; AAPL trades at 100, and without its dividend from the open of Tuesday on. */
const EVENING = epochMs(Date.parse('2026-06-15T19:50:00Z'));
const dividend: CorporateAction = {
  kind: 'payment',
  symbol: AAPL,
  name: 'cash_dividend',
  exDate: '2026-06-16',
  payableDate: '2026-06-30',
  perShare: parseCash('3.005'),
};

type Exit = (order: HookContext['order']) => void;
type Setting = Readonly<{ price?: string; rules?: StageOptions['rules'] | undefined }>;

/** Options of a run that holds ten AAPL and places an exit a minute after its start. */
const optionsOf = (
  exit: Exit,
  rules: NonNullable<StageOptions['rules']> = { exitDividends: 'adjust' },
): StageOptions => ({
  start: EVENING,
  data: { quotes: ['AAPL'], timers: [{ name: 'exit', at: 'close-5m' }] },
  hooks: {
    solo: {
      onStart: ({ order, view }) => {
        if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
      },
      onTimer: ({ order }) => exit(order),
    },
  },
  rules,
  as: (venue) => {
    venue.corporateActions = () => Promise.resolve([dividend]);
    return venue;
  },
});

/** The run three minutes after the open of the ex-date, at a price. */
async function exDate(exit: Exit, { price = '97', rules }: Setting = {}): Promise<Stage> {
  const stage = new Stage(optionsOf(exit, rules));
  await stage.play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(17 * HOUR + 30 * MINUTE);
  stage.venue.prices.set('AAPL', parsePrice(price));
  return stage.pass(12 * MINUTE);
}

const stopsOf = (stage: Stage) => syntheticsOf(stage).map(({ stop }) => formatDecimal(stop ?? 0n));
const entriesOf = ({ lines }: Stage): JournalEntry[] => [...memoryJournal(lines).entries()];
const lowered = (stage: Stage) =>
  entriesOf(stage).filter(({ fact }) => fact.kind === 'syntheticMoved' && fact.event.kind === 'dividend')
    .length;

const stop: Exit = (order) => void order.stop('AAPL', { all: true, stop: 98 });
const trail: Exit = (order) => void order.trail('AAPL', { all: true, by: { amount: 2 } });

describe('an exit on the ex-date of a dividend, with exits.dividends: adjust', () => {
  test.each<[string, Exit, stops: string[]]>([
    ['a stop', stop, ['95']],
    ['a stop with a limit', (order) => order.stop('AAPL', { all: true, stop: 98, limit: 97 }), ['95']],
    ['a trailing stop by an amount', trail, ['95']],
    [
      'a trailing stop by percent',
      (order) => order.trail('AAPL', { all: true, by: { percent: 2 } }),
      ['95.06'],
    ],
    [
      'one-cancels-other',
      (order) => order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 98 } }),
      ['95'],
    ],
  ])('moves down by it: %s', async (_, exit, stops) => {
    const stage = await exDate((order) => void exit(order));
    expect(stopsOf(stage)).toEqual(stops);
    expect(sells(stage).filter((text) => text.startsWith('market'))).toEqual([]);
    expect(lowered(stage)).toBe(1);
  });

  test.each<[string, StageOptions['rules']]>([
    ['exits.dividends: keep', { exitDividends: 'keep' }],
    ['nothing said', {}],
    [
      'dividends within the price',
      {
        exitDividends: 'adjust',
        dividends: { way: 'price', stocks: new Map(), withheldBps: 0, toleranceBps: 500 },
      },
    ],
  ])('is triggered by the fall of the price with %s', async (_, rules) => {
    const stage = await exDate(stop, { rules });
    expect(lowered(stage)).toBe(0);
    expect(sells(stage)).toHaveLength(1);
  });

  test('that trails by percent stays as far below the highest price, in percent, and the terminal says that it moved', async () => {
    const stage = await exDate((order) => void order.trail('AAPL', { all: true, by: { percent: 10 } }));
    expect(stopsOf(stage)).toEqual(['87.3']);
    expect(stage.said(/^1 stop of AAPL is lower: cash dividend of AAPL/)).toBe(true);
  });

  test('whose stop is no higher than the dividend raises an alarm, because it no longer protects', async () => {
    const stage = await exDate((order) => void order.stop('AAPL', { all: true, stop: 2 }));
    expect(stage.alarms).toEqual([
      expect.stringMatching(/^the stop of solo-\d+ was no higher than the dividend/),
    ]);
  });

  test('is lowered once per action, across lists and restarts', async () => {
    const stage = await exDate(stop);
    await stage.pass(24 * HOUR);
    const again = new Stage({ ...optionsOf(stop), after: stage });
    await again.play(24 * HOUR);
    expect([stopsOf(again), lowered(again)]).toEqual([['95'], 1]);
  });

  test('of a bracket with a resting entry is lowered once, although every list names the action again', async () => {
    const hooks = {
      solo: atStart((order) => order.bracket('AAPL', { entry: { shares: 10, limit: 90 }, stopLoss: 85 })),
    };
    const stage = new Stage({ ...optionsOf(stop), hooks, data: { quotes: ['AAPL'] } });
    await stage.play(2 * 24 * HOUR);
    expect([stopsOf(stage), lowered(stage)]).toEqual([['82'], 1]);
  });

  test("stays if placed on the ex-date itself, although the next day's list names the action", async () => {
    const hooks: StageOptions['hooks'] = {
      solo: {
        onTimer: ({ order, view }) => {
          if (view.orders().length > 0) return;
          order.bracket('AAPL', { entry: { shares: 10 }, stopLoss: 98 });
        },
      },
    };
    const data = { quotes: ['AAPL'], timers: [{ name: 'exit', at: 'open+2m' }] };
    const stage = new Stage({ ...optionsOf(stop), hooks, data });
    await stage.play(17 * HOUR + 45 * MINUTE);
    stage.venue.fill(stage.venue.last);
    await stage.pass(24 * HOUR);
    expect([stopsOf(stage), lowered(stage)]).toEqual([['98'], 0]);
  });

  test('is lowered for a dividend on the day of a split that the account shows before the open', async () => {
    const split: CorporateAction = {
      kind: 'split',
      symbol: AAPL,
      name: 'forward_split',
      exDate: '2026-06-16',
      oldRate: parseCash('1'),
      newRate: parseCash('2'),
    };
    const options = optionsOf(stop);
    const stage = new Stage({
      ...options,
      as: (venue) => {
        venue.corporateActions = () => Promise.resolve([dividend, split]);
        return venue;
      },
    });
    await stage.play(MINUTE);
    stage.venue.fill(stage.venue.last);
    await stage.pass(9 * HOUR);
    stage.venue.holdings.set('AAPL', parseShares('20'));
    await stage.pass(HOUR);
    // 98 - 3.005 is 95 on the tick, half of which is 47.5 a share of the split.
    expect([stopsOf(stage), lowered(stage)]).toEqual([['47.5'], 1]);
  });

  test('follows a price that rises from there, and sells once it is touched', async () => {
    const stage = await exDate(trail);
    stage.venue.prices.set('AAPL', parsePrice('98.5'));
    await stage.pass(MINUTE);
    expect(stopsOf(stage)).toEqual(['96.5']);
    stage.venue.prices.set('AAPL', parsePrice('96.4'));
    await stage.pass(MINUTE);
    expect(sells(stage)).toHaveLength(1);
  });

  test('of a bracket is lowered if its stop is a price or trails, and stays if it is in percent', async () => {
    const bought = async (stopLoss: NonNullable<BracketTerms['stopLoss']>) => {
      const options = optionsOf(() => undefined);
      const hooks = {
        solo: {
          onStart: ({ order }: HookContext) =>
            void order.bracket('AAPL', { entry: { notional: 1000 }, stopLoss }),
        },
      };
      const stage = new Stage({ ...options, hooks, data: { quotes: ['AAPL'] } });
      await stage.play(MINUTE);
      stage.venue.fill(stage.venue.last);
      await stage.pass(17 * HOUR + 30 * MINUTE);
      stage.venue.prices.set('AAPL', parsePrice('97'));
      return stopsOf(await stage.pass(12 * MINUTE));
    };
    expect(await bought(96)).toEqual(['93']);
    expect(await bought({ trail: { amount: 4 } })).toEqual(['93']);
    expect(await bought({ percent: 4 })).toEqual(['96']);
  });

  test('of a bracket that buys after the ex-date counts from the price paid then', async () => {
    const hooks = {
      solo: atStart((order) =>
        order.bracket('AAPL', { entry: { shares: 10, limit: 97 }, stopLoss: { trail: { amount: 4 } } }),
      ),
    };
    const stage = new Stage({ ...optionsOf(stop), hooks, data: { quotes: ['AAPL'] } });
    await stage.play(17 * HOUR + 45 * MINUTE);
    stage.venue.prices.set('AAPL', parsePrice('97'));
    stage.venue.fill(stage.venue.last);
    await stage.pass(24 * HOUR);
    expect([stopsOf(stage), lowered(stage)]).toEqual([['93'], 1]);
  });

  test('is moved by the journal alone in a replay', async () => {
    const stage = await exDate(stop);
    const { calendar, rules, strategies } = new Stage(optionsOf(stop, { exitDividends: 'keep' })).options;
    const kernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
    expect(replay(entriesOf(stage), kernel)).toMatchObject({ parting: null });
  });
});
