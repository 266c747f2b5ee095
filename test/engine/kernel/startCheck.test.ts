import { describe, expect, test } from 'vitest';
import { parseCash, parsePrice, parseShares, shares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OrderTerms } from '../../../src/domain/venue.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { encode } from '../../../src/store/codec.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

/** Buys the stock unless it is held. */
const holder = atStart((order) => {
  order.target('AAPL', { notional: 1_000 });
});
const holding: StageOptions = { hooks: { solo: holder }, data: { quotes: ['AAPL', 'MSFT'] } };

const limit: OrderTerms = {
  symbol: ticker('MSFT'),
  stock: `0x${'1'.repeat(40)}`,
  side: 'buy',
  type: 'limit',
  quantity: parseShares('2'),
  price: parsePrice('40'),
};

const WAITS = /^nothing is sent until ledger and account agree: /;
const waiting = (stage: Stage) => stage.alarms.filter((text) => WAITS.test(text));

/** A run that has bought, and the journal from before. */
async function bought(): Promise<Readonly<{ run: Stage; older: string[] }>> {
  const run = await new Stage({ hooks: { solo: {} }, data: holding.data ?? {} }).play(SECOND);
  const older = [...run.lines];
  const buying = await new Stage({ ...holding, after: run }).play(MINUTE);
  expect(buying.venue.sends).toBe(1);
  buying.venue.fill(buying.venue.last);
  await buying.pass(MINUTE);
  return { run: buying, older };
}

describe('an older journal in place of the latest one', () => {
  test('sends nothing: the run waits, names the remedy, and shows its strategies nothing', async () => {
    const { run, older } = await bought();
    run.crash();
    run.lines.splice(0, run.lines.length, ...older);
    const again = await new Stage({ ...holding, after: run }).play(20 * MINUTE);
    expect(again.venue.sends).toBe(1);
    expect(waiting(again)).toHaveLength(1);
    expect(waiting(again)[0]).toMatch(
      /AAPL: 0 in the ledger, 10 at the venue; order 0x\w+ \(buy AAPL, ended\) is not in the journal\. .*drover reconcile.*drover journal recover.*drover accept/,
    );
    expect(again.orders).toEqual([]);
    expect(again.runner.phase).toBe('starting');
    const { stop } = await again.stop();
    expect(stop.unconfirmed).toContain('AAPL: 0 in the ledger, 10 at the venue');
  });

  test('keeps the next start waiting, too', async () => {
    const { run, older } = await bought();
    run.venue.holdings.clear();
    run.venue.cash = parseCash('100000');
    run.crash();
    run.lines.splice(0, run.lines.length, ...older);
    const first = await new Stage({ ...holding, after: run }).play(MINUTE);
    const second = await new Stage({ ...holding, after: first }).play(MINUTE);
    expect(second.venue.sends).toBe(1);
    expect(waiting(second)[0]).toMatch(/order 0x\w+ \(buy AAPL, ended\) is not in the journal/);
  });
});

describe('a difference between ledger and account at a start', () => {
  test.each(['more', 'less'] as const)('with %s stock than the ledger stops every order', async (how) => {
    const { run } = await bought();
    run.crash();
    run.venue.holdings.set('AAPL', parseShares(how === 'more' ? '11' : '9'));
    const again = await new Stage({ ...holding, after: run }).play(10 * MINUTE);
    expect(again.venue.sends).toBe(1);
    expect(waiting(again)).toHaveLength(1);
  });

  test('ends when a later read agrees, and the run continues by itself', async () => {
    const { run } = await bought();
    run.crash();
    run.venue.prices.set('AAPL', parseCash('50'));
    run.venue.holdings.set('AAPL', shares(0n));
    const again = await new Stage({ ...holding, after: run }).play(20 * SECOND);
    expect(again.venue.sends).toBe(1);
    again.venue.holdings.set('AAPL', parseShares('10'));
    await again.pass(MINUTE);
    expect(again.said(/ledger and account agree: the run continues/)).toBe(true);
    expect(again.venue.sends).toBe(2);
    expect((await again.stop()).stop).not.toHaveProperty('unconfirmed');
  });

  test('does not stop cancels', async () => {
    let id = '';
    const resting: StrategyHooks = {
      onStart: ({ order }) => void (id = order.limit('AAPL', { side: 'buy', shares: 1, price: 90 })),
      onTimer: ({ order }) => order.cancel(id),
    };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] };
    const run = new Stage({ hooks: { solo: resting }, data });
    run.venue.cancelFates.push('lostBefore');
    await run.play(61 * SECOND);
    expect([run.venue.sends, run.venue.cancels]).toEqual([1, 1]);
    run.crash();
    run.venue.holdings.set('MSFT', parseShares('1'));
    const again = await new Stage({ hooks: { solo: resting }, data, after: run }).play(5 * MINUTE);
    expect(waiting(again)).toHaveLength(1);
    expect(again.runner.phase).toBe('starting');
    expect([again.venue.sends, again.venue.cancels]).toEqual([1, 2]);
  });

  test('is named in the result of a run whose time ends meanwhile', async () => {
    const { run } = await bought();
    run.crash();
    run.venue.holdings.set('AAPL', parseShares('9'));
    const until = { kind: 'instant', at: (run.clock.now() + 3 * MINUTE) as never } as const;
    const timed = await new Stage({ ...holding, until, after: run }).play(5 * MINUTE);
    expect(timed.summary?.stop.unconfirmed).toContain('AAPL: 10 in the ledger, 9 at the venue');
    const sessions = { kind: 'sessions', count: 1 } as const;
    const last = await new Stage({ ...holding, until: sessions, after: timed }).play(
      6 * 60 * MINUTE + 20 * MINUTE,
    );
    expect(last.summary?.stop.unconfirmed).toContain('AAPL');
  });
});

test('an order in flight at a kill is explained by the order list, and the run continues within seconds', async () => {
  const run = await new Stage(holding).play(200);
  expect(run.venue.sends).toBe(1);
  run.venue.last.shown = false;
  run.crash();
  const again = await new Stage({ ...holding, after: run }).play(10 * SECOND);
  expect(again.runner.phase).toBe('starting');
  expect(waiting(again)).toEqual([]);
  again.venue.last.shown = true;
  await again.pass(17 * SECOND);
  expect(again.runner.phase).toBe('running');
  expect(again.alarms).toEqual([]);
});

describe('an external order that is open at the first start', () => {
  async function met(): Promise<Stage> {
    const empty = new Stage({ ...holding });
    empty.venue.foreign(limit);
    await empty.play(5 * MINUTE);
    return empty;
  }

  test('stops every order, and the alarm names the command that accepts it', async () => {
    const stage = await met();
    expect(stage.venue.sends).toBe(0);
    const { txHash } = stage.venue.last;
    expect(waiting(stage)[0]).toContain(`order ${txHash} (buy MSFT, open) is not in the journal`);
    expect(waiting(stage)[0]).toContain('drover orders accept TX --reason TEXT');
    expect(stage.runner.kernel.context.accountState.opened).toBeNull();
  });

  test('counts in the gross exposure once it is accepted', async () => {
    const stage = await met();
    const { txHash } = stage.venue.last;
    stage.crash();
    stage.lines.push(
      encode({ at: stage.clock.now(), fact: { kind: 'externalAccepted', txHash, reason: 'mine' } }),
    );
    const limits = { grossExposure: parseCash('1050') };
    const narrow = await new Stage({ ...holding, limits, after: stage }).play(MINUTE);
    expect(waiting(narrow)).toEqual([]);
    expect(narrow.venue.sends).toBe(0);
    const wide = await new Stage({ ...holding, after: narrow }).play(MINUTE);
    expect(wide.venue.sends).toBe(1);
  });

  test('that ends without a fill lets the run continue by itself', async () => {
    const stage = await met();
    stage.venue.end(stage.venue.last, 'cancelled');
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.runner.kernel.reconciliation.clean).toBe(true);
  });
});
