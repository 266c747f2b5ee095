import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parsePrice } from '../../../src/core/amount.ts';
import {
  CASH_DIVIDENDS,
  type CorporateAction,
  type DividendRules,
} from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { dayProfit } from '../../../src/engine/state/exposure.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { syntheticsOf } from '../synthetic/play.ts';
import type { Stage } from '../stage.ts';
import { june, MINUTE, nightStage, until } from './nights.ts';

const dividend: CorporateAction = {
  kind: 'payment',
  symbol: ticker('AAPL'),
  name: 'cash_dividend',
  exDate: '2026-06-16',
  payableDate: '2026-06-30',
  perShare: parseCash('3'),
};

const evening: DividendRules = { ...CASH_DIVIDENDS, begins: 'evening' };

/**
 * Ten shares are bought on Monday before the close, with a stop at 98 in all phases, and five more at 21:00 in New York. `listedFrom`:
 * when the venue lists the dividend.
 */
async function night(dividends: DividendRules, listedFrom = '15T00:00'): Promise<Stage> {
  const stage: Stage = nightStage({
    rules: { dividends, exitDividends: 'adjust' },
    data: {
      quotes: ['AAPL'],
      timers: [
        { name: 'stop', at: '15:55' },
        { name: 'more', at: '21:00' },
      ],
    },
    hooks: {
      solo: {
        onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
        onTimer({ order, timer }) {
          if (timer === 'more') order.buy('AAPL', { shares: 5, outside: 'limit' });
          else order.stop('AAPL', { all: true, stop: 98, phases: ['regular', 'post', 'overnight', 'pre'] });
        },
      },
    },
    as: (venue) => {
      venue.corporateActions = () => Promise.resolve(stage.clock.now() < june(listedFrom) ? [] : [dividend]);
      return venue;
    },
  });
  await stage.play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await until(stage, '16T00:01');
  stage.venue.prices.set('AAPL', parsePrice('97'));
  await until(stage, '16T01:02');
  if (stage.venue.rows.length > 1) stage.venue.fill(stage.venue.last);
  return until(stage, '16T13:40');
}

/** Amounts due by owner, each with the instant from which it is due. */
const entitled = ({ lines }: Stage) =>
  [...memoryJournal(lines).entries()].flatMap(({ at, fact }) =>
    fact.kind === 'entitled'
      ? fact.parts.map(([owner, amount]) => [owner, formatDecimal(amount), new Date(at).toISOString()])
      : [],
  );

describe('an ex-date where nights are traded', () => {
  test('begins at 20:00 of the evening before: a later buyer does not get the dividend', async () => {
    const stage = await night(evening);
    expect(entitled(stage)).toEqual([['solo', '30', expect.stringMatching(/^2026-06-16T00:00:0/)]]);
  });

  test('lowers stops when it begins, and does not count as a loss of the trading day', async () => {
    const stage = await night(evening);
    expect(syntheticsOf(stage).map(({ stop }) => formatDecimal(stop ?? 0n))).toEqual(['95']);
    // Five shares lose the collar of 50 bps and fees.
    const profit = Number(formatDecimal(dayProfit(stage.runner.kernel.context, 'solo')));
    expect(profit).toBeGreaterThan(-5);
    expect(profit).toBeLessThanOrEqual(0);
  });

  test('lowers stops by a dividend that was listed after the open of the day before', async () => {
    const stage = await night(evening, '15T21:00');
    expect(syntheticsOf(stage)).toMatchObject([{ stop: parsePrice('95'), trigger: null }]);
    expect(entitled(stage)).toEqual([['solo', '30', expect.stringMatching(/^2026-06-16T00:00:0/)]]);
  });

  test('begins at the open where the config says so: who holds then has the dividend', async () => {
    const stage = await night(CASH_DIVIDENDS);
    const [[owner, , at] = []] = entitled(stage);
    expect([owner, at]).toEqual(['solo', expect.stringMatching(/^2026-06-16T13:30:0/)]);
    expect(syntheticsOf(stage)).toMatchObject([{ trigger: { cause: 'stop' } }]);
  });
});
