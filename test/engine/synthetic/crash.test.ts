import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { moments } from '../../runs.ts';
import { expectSound, settleAll } from '../invariants.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { fillMarket, live, LIVES, lifeOf, WORKED } from './lives.ts';
import { armed, buys, heldShares, part, partingOf, price, sells } from './play.ts';
import { tradedAtVenue, tradedInJournal } from './working.ts';

type How = NonNullable<StageOptions['dies']>['how'];

const HOW: readonly How[] = ['before', 'after', 'answer'];

/** Expects that sells equal buys: nothing is left, and nothing was sold twice. */
function expectClosed(stage: Stage, where: string): void {
  expect(stage.failure, where).toBeNull();
  expect([heldShares(stage), armed(stage)], where).toEqual(['0', 0]);
  expect(stage.venue.holdings.get('AAPL') ?? 0n, where).toBe(0n);
}

/** Touches the stop, and fills what is open until nothing moves any more. */
async function settle(stage: Stage): Promise<void> {
  await price(stage, '94', MINUTE);
  for (let round = 0; round < 20; round++) {
    await stage.pass(MINUTE);
    fillMarket(stage);
  }
}

describe.each(Object.entries(LIVES))('%s', (_, life) => {
  test('ends with everything sold once', async () => {
    const stage = await lifeOf(life);
    expect({ buys: buys(stage), sells: sells(stage) }).toEqual(life.ends);
    await settleAll(stage, 10 * MINUTE);
    expectSound(stage);
    expectClosed(stage, 'without a kill');
    expect(partingOf(stage, life.options)).toBeNull();
  });

  test.each(HOW)('killed %s any commit sells all that was bought, once', async (how) => {
    const { commits } = await lifeOf(life);
    for (const at of moments(commits)) {
      const where = `${how} commit ${at} of ${commits}`;
      const stage = await lifeOf(life, { at, how });
      await settle(stage);
      expectClosed(stage, where);
      expectSound(stage);
      expect(partingOf(stage, life.options), where).toBeNull();
    }
  });
});

/** Lets time pass. The first order fills by 1 share while it is cancelled, every other at once. */
async function work(stage: Stage, ms: number): Promise<void> {
  for (let passed = 0; passed < ms && stage.alive; passed += 5 * SECOND) {
    await stage.pass(5 * SECOND);
    stage.venue.rows.forEach((row, index) => {
      if (row.status !== 'open') return;
      if (index > 0) stage.venue.fill(row);
      else if (stage.venue.cancels > 0) stage.venue.fill(row, 'cancelled', part('1'));
    });
  }
}

/** The price rises after a minute, and again for the restarted runner. */
async function worked(options: StageOptions, dies?: StageOptions['dies']): Promise<Stage> {
  const first = new Stage({ ...options, ...(dies ? { dies } : {}) });
  first.venue.cancelFates.push('late');
  await first.play(0);
  await work(first, MINUTE);
  first.venue.prices.set('AAPL', parseCash('101'));
  await work(first, 9 * MINUTE);
  if (first.alive) return first;
  const next = await new Stage({ ...options, after: first }).play(0);
  await work(next, MINUTE);
  next.venue.prices.set('AAPL', parseCash('102'));
  await work(next, 12 * MINUTE);
  return next;
}

describe.each(Object.entries(WORKED))('a working order: %s', (_, options) => {
  test('buys its total', async () => {
    const stage = await worked(options);
    expect(buys(stage)[0]).toMatch(/cancelled$/);
    expect([tradedAtVenue(stage), tradedInJournal(stage), armed(stage)]).toEqual([6, 6, 0]);
    expect(partingOf(stage, options)).toBeNull();
  });

  test.each(HOW)(
    'killed %s any commit never buys more than its total, and names what is missing',
    async (how) => {
      const { commits } = await worked(options);
      let [tried, whole] = [0, 0];
      for (const at of moments(commits)) {
        const where = `${how} commit ${at} of ${commits}`;
        const stage = await worked(options, { at, how });
        expect(stage.failure, where).toBeNull();
        expect(tradedAtVenue(stage), where).toBeLessThanOrEqual(6);
        expect(tradedInJournal(stage), where).toBeCloseTo(tradedAtVenue(stage), 9);
        expect(armed(stage), where).toBe(0);
        expect(partingOf(stage, options), where).toBeNull();
        expectSound(stage);
        tried++;
        if (tradedAtVenue(stage) === 6) whole++;
        else expect(stage.said(/ missing: its time is over/), where).toBe(true);
      }
      expect(whole).toBeGreaterThan(tried / 2);
    },
  );
});

test('an exit planned when its runner was killed is sent at once by the next start', async () => {
  const life = LIVES['a trailing stop that rises, and is touched'];
  const { commits } = life ? await lifeOf(life) : { commits: 0 };
  let met = 0;
  for (let at = 1; life && at <= commits; at++) {
    const first = await new Stage({ ...life.options, dies: { at, how: 'after' } }).play(0);
    await live(first, life.steps);
    if (sells(first).at(-1) !== 'market 10 planned') continue;
    met++;
    const next = await new Stage({ ...life.options, after: first }).play(15 * SECOND);
    expect(sells(next)).toEqual(['market 10 abandoned', 'market 10 working']);
  }
  expect(met).toBeGreaterThan(0);
});
