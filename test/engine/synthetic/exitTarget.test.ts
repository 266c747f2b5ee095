import { expect, test } from 'vitest';
import { MINUTE } from '../stage.ts';
import { buys, held, price, sells } from './play.ts';

test.each([[2], [12]])(
  'the sale of a stop is not cancelled by a target of %i shares, which waits for its end',
  async (wanted) => {
    const stage = await held((order) => void order.stop('AAPL', { all: true, stop: 95, limit: 90 }), {
      onQuote: ({ order, price: now }) => (now === 93 ? order.target('AAPL', { shares: wanted }) : undefined),
    });
    await price(stage, '94');
    await price(stage, '93', 3 * MINUTE);
    expect(sells(stage)).toEqual(['limit 10 working']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(sells(stage)).toEqual(['limit 10 filled']);
    expect(buys(stage).at(-1)).toBe(`limit ${wanted} working`);
  },
);
