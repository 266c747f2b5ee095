import { expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/domain/venue.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const DEAR: SendOutcome = { kind: 'stopped', reason: 'gas is too dear', code: 'GAS', alarm: true };

test('expensive gas raises one alarm and ends orders with GAS, and the next send clears the alarm', async () => {
  const stage = new Stage({
    hooks: {
      solo: {
        onTimer({ order }) {
          order.buy('AAPL', { notional: 100 });
        },
      },
    },
    data: { quotes: ['AAPL'], timers: ['10:02', '10:03', '10:04'].map((at) => ({ name: at, at })) },
  });
  const { venue } = stage;
  const place = venue.place.bind(venue);
  let isDear = true;
  venue.place = (terms, gate) => (isDear ? Promise.resolve(DEAR) : place(terms, gate));
  const noticesOf = (wanted: string) => stage.notices.filter(({ kind }) => kind === wanted);
  await stage.play(3 * MINUTE + 30 * SECOND);
  expect(stage.states).toEqual(['abandoned', 'abandoned']);
  expect(noticesOf('alarm')).toMatchObject([
    { code: 'GAS_TOO_DEAR', text: 'buy AAPL for 100: not sent, gas is too dear' },
  ]);
  const ends = stage.orders.map(({ state }) => state);
  expect(ends).toMatchObject([{ code: 'GAS' }, { code: 'GAS' }]);
  isDear = false;
  await stage.pass(MINUTE);
  expect(noticesOf('clear')).toMatchObject([{ about: 'gas too dear' }]);
});
