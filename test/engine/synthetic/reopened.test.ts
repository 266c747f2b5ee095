import { expect, test } from 'vitest';
import { MINUTE, type Stage } from '../stage.ts';
import type { Row } from '../fakeVenue.ts';
import { give } from '../operator/commands.ts';
import { armed, bracketed, buys, heldShares, price, sells } from './play.ts';

/** Undoes the fill of a buy, as a reorganisation of the chain does: it is open again. */
function undone({ venue }: Stage, row: Row): void {
  const { pay = 0n, receive = 0n } = row.settlement ?? {};
  venue.cash += pay;
  venue.holdings.set('AAPL', (venue.holdings.get('AAPL') ?? 0n) - receive);
  Object.assign(row, { settlement: null, status: 'open', rawStatus: 'open' });
}

async function released(stage: Stage): Promise<void> {
  const answer = give(stage, { kind: 'unfreeze', subject: 'aapl' });
  await stage.pass(MINUTE);
  await answer;
}

test('a bracket stays armed when the chain undoes its entry, and protects what fills again', async () => {
  const stage = await bracketed({ entry: { shares: 10 }, stopLoss: 95 });
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  undone(stage, stage.venue.last);
  await stage.pass(3 * MINUTE);
  expect([buys(stage), heldShares(stage), armed(stage)]).toEqual([['limit 10 working'], '0', 1]);
  expect(stage.alarms.some((text) => /entry solo-2 is open again/.test(text))).toBe(true);
  stage.venue.fill(stage.venue.last);
  await stage.pass(3 * MINUTE);
  await released(stage);
  await price(stage, '94', MINUTE);
  expect([heldShares(stage), sells(stage)]).toEqual(['10', ['market 10 working']]);
});

test('a bracket whose entry was undone and never fills again ends', async () => {
  const stage = await bracketed({ entry: { shares: 10 }, stopLoss: 95 });
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  undone(stage, stage.venue.last);
  await stage.pass(3 * MINUTE);
  stage.venue.end(stage.venue.last, 'cancelled');
  await stage.pass(3 * MINUTE);
  expect([heldShares(stage), armed(stage)]).toEqual(['0', 0]);
});
