import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { MINUTE, Stage } from '../stage.ts';

const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'SPY', 'KO', 'TSLA'];

/** Sets a new price of some stocks each minute. */
async function move(stage: Stage, symbols: readonly string[], minutes: number): Promise<void> {
  for (let minute = 1; minute <= minutes; minute++) {
    for (const symbol of symbols)
      stage.venue.prices.set(symbol, parseCash(String(100 + (minute % 2) + minute / 100)));
    await stage.pass(MINUTE);
  }
}

function onVenue(stage: Stage): Stage {
  for (const symbol of SYMBOLS) stage.venue.prices.set(symbol, parseCash('100'));
  return stage;
}

const doubts = (stage: Stage): string[] => stage.alarms.filter((text) => text.startsWith('by the calendar'));

test('prices that all stand still for five minutes of a session raise one alarm, which the first move ends', async () => {
  const stage = await onVenue(new Stage()).play(0);
  await move(stage, ['KO'], 3);
  await stage.pass(4 * MINUTE);
  expect(doubts(stage)).toEqual([]);
  await stage.pass(10 * MINUTE);
  expect(doubts(stage)).toEqual([
    expect.stringMatching(
      /the session of 2026-06-15 is open, but no price of the venue's 6 stocks has moved for 5 min: .*calendar\.overrides/,
    ),
  ]);
  await move(stage, ['KO'], 1);
  expect(stage.said(/^the prices of the venue agree with the calendar again/)).toBe(true);
});

test('a session in which no stock is tradable raises an alarm at once', async () => {
  const stage = onVenue(new Stage());
  for (const symbol of SYMBOLS) stage.venue.told.set(symbol, { tradable: false });
  await stage.play(MINUTE);
  expect(doubts(stage)).toEqual([expect.stringContaining("but none of the venue's 6 stocks is tradable")]);
});

const SATURDAY = Date.parse('2026-06-20T14:00:00Z');

test('prices that move while the calendar is closed raise an alarm, those of a single stock do not', async () => {
  const quiet = await onVenue(new Stage({ start: SATURDAY })).play(0);
  await move(quiet, ['KO'], 10);
  await quiet.pass(30 * MINUTE);
  expect(doubts(quiet)).toEqual([]);
  const open = await onVenue(new Stage({ start: SATURDAY })).play(0);
  await move(open, SYMBOLS.slice(1), 5);
  expect(doubts(open)).toEqual([
    expect.stringMatching(/nothing trades before the overnight phase in 34 h, but 5 of the venue's 6 stocks/),
  ]);
});

test('a venue of few stocks raises no such alarm', async () => {
  const stage = await new Stage().play(20 * MINUTE);
  expect(doubts(stage)).toEqual([]);
});
