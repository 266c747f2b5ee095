import { expect, test } from 'vitest';
import { formatDecimal, parseCash, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { MINUTE, Stage } from '../stage.ts';
import { sells, syntheticsOf } from './play.ts';

const HOUR = 60 * MINUTE;

/** Ten minutes before the close of Monday; a split of two for one is in force from the open of Tuesday on. */
const EVENING = epochMs(Date.parse('2026-06-15T19:50:00Z'));
const twoForOne = {
  kind: 'split',
  symbol: ticker('AAPL'),
  name: 'forward_split',
  exDate: '2026-06-16',
  oldRate: 1n,
  newRate: 2n,
} as const;

test('a stop placed before the account shows the split of the day is converted by it', async () => {
  const stage = new Stage({
    start: EVENING,
    data: { quotes: ['AAPL'], timers: [{ name: 'protect', at: 'open+1m' }] },
    hooks: {
      solo: {
        onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
        onTimer: ({ order }) => void order.stop('AAPL', { all: true, stop: 95 }),
      },
    },
    as: (venue) => {
      venue.corporateActions = () => Promise.resolve([twoForOne]);
      return venue;
    },
  });
  await stage.play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(17 * HOUR + 40 * MINUTE);
  stage.venue.prices.set('AAPL', parseCash('50'));
  await stage.pass(3 * MINUTE);
  stage.venue.holdings.set('AAPL', parseShares('20'));
  await stage.pass(5 * MINUTE);
  expect(syntheticsOf(stage).map(({ stop }) => formatDecimal(stop ?? 0n))).toEqual(['47.5']);
  expect([sells(stage), stage.alarms]).toEqual([[], []]);
});
