import { describe, expect, test } from 'vitest';
import { parseCash, price } from '../../../src/core/amount.ts';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { MarketView } from '../../../src/engine/state/market.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import type { DataNeeds, QuotePhase, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, Stage, type StageOptions } from '../stage.ts';

const at = (time: string) => Date.parse(`2026-06-${time}Z`);
const HOUR = 60 * MINUTE;
/** 15:59 in New York, a minute before the close. */
const LATE = at('15T19:59');

type Move = readonly [time: string, price: string];
/** Moves in post, twice overnight and in pre; then the open, which repeats a price, and a fall in the session. */
const NIGHT: readonly Move[] = [
  ['15T20:30', '101'],
  ['16T01:52', '93'],
  ['16T02:30', '94'],
  ['16T12:00', '95'],
  ['16T13:40', '90'],
];

async function played(options: StageOptions, moves = NIGHT, until = at('16T13:45')): Promise<Stage> {
  const stage = await new Stage({ start: LATE, ...options }).play(0);
  for (const [time, price] of moves) {
    await stage.pass(at(time) - stage.clock.now());
    stage.venue.prices.set('AAPL', parseCash(price));
  }
  return stage.pass(until - stage.clock.now());
}

type Heard = string[];
const listener = (heard: Heard): StrategyHooks => ({
  onQuote: ({ view, symbol, price }) =>
    void heard.push(`${toIso(epochMs(view.now)).slice(5, 16)} ${symbol} ${price}`),
});

async function heardWith(data: DataNeeds, moves = NIGHT): Promise<Heard> {
  const heard: Heard = [];
  await played({ data, hooks: { solo: listener(heard) } }, moves);
  return heard;
}

const of = (...phases: QuotePhase[]): DataNeeds => ({ quotes: [{ symbol: 'AAPL', phases }] });

describe('quotes for a strategy', () => {
  test('are those of the regular session, and the first is delivered even if it is from the night', async () => {
    expect(await heardWith({ quotes: ['AAPL'] })).toEqual(['06-16T13:30 AAPL 95', '06-16T13:40 AAPL 90']);
    expect(await heardWith(of('regular'))).toEqual(['06-16T13:30 AAPL 95', '06-16T13:40 AAPL 90']);
  });

  test('are those of the phases the strategy asks for', async () => {
    expect(await heardWith(of('regular', 'post'))).toEqual([
      '06-15T20:31 AAPL 101',
      '06-16T13:30 AAPL 95',
      '06-16T13:40 AAPL 90',
    ]);
    expect(await heardWith(of('overnight', 'pre'))).toEqual([
      '06-16T00:00 AAPL 101',
      '06-16T01:53 AAPL 93',
      '06-16T02:31 AAPL 94',
      '06-16T12:01 AAPL 95',
    ]);
  });

  test('at an open equal to the last close are not delivered', async () => {
    const back: Move[] = [
      ['16T01:52', '93'],
      ['16T12:00', '100'],
      ['16T13:40', '90'],
    ];
    expect(await heardWith({ quotes: ['AAPL'] }, back)).toEqual(['06-16T13:40 AAPL 90']);
  });

  test('that the venue made before the open are not delivered in the session', async () => {
    const heard: Heard = [];
    const stage = new Stage({
      start: LATE,
      data: { quotes: ['AAPL'] },
      hooks: { solo: listener(heard) },
    });
    await stage.play(at('16T12:00') - LATE);
    stage.venue.prices.set('AAPL', parseCash('95'));
    stage.venue.haltedAt.set('AAPL', epochMs(at('16T12:00')));
    await stage.pass(at('16T13:50') - stage.clock.now());
    expect(heard).toEqual([]);
    stage.venue.haltedAt.delete('AAPL');
    await stage.pass(MINUTE);
    expect(heard).toEqual(['06-16T13:50 AAPL 95']);
  });

  test('of the night do not trigger a trailing stop', async () => {
    const { stage, sold } = await trailing({ quotes: ['AAPL'] });
    expect(sold).toEqual(['06-16T13:30']);
    expect(stage.orders.filter(({ terms }) => terms.side === 'sell')).toHaveLength(1);
  });
});

/** Holds AAPL, and sells all of it at 5 % below the starting price. */
async function trailing(data: DataNeeds) {
  const sold: string[] = [];
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
    onQuote({ view, order, price }) {
      if (price > 95 || sold.length > 0) return;
      sold.push(toIso(epochMs(view.now)).slice(5, 16));
      order.sell('AAPL', { all: true }, 'fell by 5 %');
    },
  };
  const stage = await new Stage({ start: LATE - 2 * HOUR, data, hooks: { solo: hooks } }).play(10_000);
  stage.venue.fill(stage.venue.last);
  for (const [time, price] of NIGHT) {
    await stage.pass(at(time) - stage.clock.now());
    stage.venue.prices.set('AAPL', parseCash(price));
  }
  await stage.pass(5 * MINUTE);
  return { stage, sold };
}

test("a delivered price counts as the same price after a split at the split's rate", () => {
  const market = new MarketView();
  const [AAPL, before, open] = [ticker('AAPL'), epochMs(at('15T19:59')), epochMs(at('16T13:30'))];
  market.noteDelivered('solo', { symbol: AAPL, price: price(parseCash('100')) }, before);
  market.movePrice(AAPL, open, (told) => price(told / 4n));
  expect(market.isNews('solo', { symbol: AAPL, price: price(parseCash('25')) })).toBe(false);
  expect(market.isNews('other', { symbol: AAPL, price: price(parseCash('25')) })).toBe(true);
});

/** Buys for 100 at each quote it receives. */
const buyer: StrategyHooks = {
  onQuote: ({ order }) => void order.buy('AAPL', { notional: '100' }),
};

/** Replays a journal with the strategies of `options`. */
const again = (lines: readonly string[], options: StageOptions) => {
  const { calendar, rules, strategies } = new Stage(options).options;
  const entries: JournalEntry[] = [...memoryJournal([...lines]).entries()];
  return replay(
    entries,
    () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
  );
};

describe('a replay of quotes', () => {
  test.each<DataNeeds>([{ quotes: ['AAPL'] }, of('regular', 'post', 'overnight'), of('pre', 'regular')])(
    'delivers them in the phases of the run: %j',
    async (data) => {
      const options = { data, hooks: { one: buyer, two: buyer } };
      const { lines } = await played(options);
      const { wishes: intents, parting } = again(lines, options);
      expect(parting).toBeNull();
      expect(intents).toBeGreaterThan(2);
    },
  );

  test('delivers each of two strategies the quotes of its own phases', async () => {
    const two = new Stage({ hooks: { one: buyer, two: buyer } }).options.strategies;
    const strategies = two.map((setup, index) => ({
      ...setup,
      needs: index === 0 ? { quotes: ['AAPL'] } : of('regular', 'pre'),
    }));
    const { lines } = await played({ hooks: { one: buyer, two: buyer }, more: { strategies } });
    const { wishes: intents, parting } = again(lines, {
      hooks: { one: buyer, two: buyer },
      more: { strategies },
    });
    expect(parting).toBeNull();
    // 94 and 95 in pre for the second, 95 at the open for the first alone; 90 for both.
    expect(intents).toBe(5);
  });

  test('of a journal without phases delivers all quotes, as 0.4.0 did', async () => {
    const { lines } = await played({
      data: of('overnight', 'pre', 'regular', 'post'),
      hooks: { solo: buyer },
    });
    const old = lines.map((line) => line.replace(/,"phase":(?:"[a-z]+"|null)/, ''));
    expect(old).not.toEqual(lines);
    const { wishes: intents, parting } = again(old, { data: { quotes: ['AAPL'] }, hooks: { solo: buyer } });
    expect(parting).toBeNull();
    expect(intents).toBe(5);
  });
});
