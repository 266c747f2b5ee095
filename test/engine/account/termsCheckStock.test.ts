import { describe, expect, test } from 'vitest';
import { ticker, type Address } from '../../../src/domain/instrument.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const MSFT = ticker('MSFT');
const other: Address = `0x${'ab'.repeat(20)}`;
const data = { quotes: ['AAPL', 'MSFT'] };
const buying = {
  solo: {
    onQuote({ symbol, order }: HookContext & { symbol: string }) {
      if (symbol === 'AAPL') order.buy('AAPL', { notional: '100' });
    },
  },
};

/** Buys AAPL at each new price. */
const stageOf = (after?: Stage, more: object = {}) =>
  new Stage({ hooks: buying, data, ...(after ? { after } : {}), ...more });

async function addressOf(stage: Stage, symbol: string): Promise<Address> {
  const listing = (await stage.venue.listings()).find(({ instrument }) => instrument.symbol === symbol);
  return listing?.instrument.address ?? other;
}

/** Sets a new price, a little above the last, and lets the run act on it. */
async function move(stage: Stage): Promise<void> {
  stage.venue.prices.set('AAPL', ((stage.venue.prices.get('AAPL') ?? 0n) * 1001n) / 1000n);
  await stage.pass(30 * SECOND);
}

const pinsIn = (stage: Stage) => stage.lines.filter((line) => line.includes('"kind":"pinned"'));

describe('a stock contract that changes', () => {
  test('during a run freezes the stock, names both addresses, and nothing more is sent', async () => {
    const stage = await stageOf().play(MINUTE);
    const known = await addressOf(stage, 'AAPL');
    await move(stage);
    const { sends } = stage.venue;
    expect(sends).toBeGreaterThan(0);
    stage.venue.fill(stage.venue.last);
    stage.venue.told.set('AAPL', { address: other });
    await move(stage);
    await move(stage);
    expect(stage.venue.sends).toBe(sends);
    expect(stage.runner.kernel.context.accountState.frozen.get(AAPL)).toMatch(
      `address was ${known}, and the venue now says ${other}`,
    );
    expect(stage.alarms.filter((text) => text.includes(other))).toHaveLength(1);
    expect(stage.orders.every(({ terms }) => terms.stock === known)).toBe(true);
  });

  test('after the address was confirmed before the first start freezes the stock', async () => {
    const pins = [{ subject: 'stock AAPL', terms: { address: other } }] as const;
    const stage = await stageOf(undefined, { more: { pins } }).play(MINUTE);
    await move(stage);
    expect(stage.venue.sends).toBe(0);
    expect(stage.runner.kernel.context.accountState.frozen.get(AAPL)).toMatch(`address was ${other}`);
    expect(pinsIn(stage)[0]).toContain('confirmed by hand');
  });

  test('while nothing runs freezes the stock, and the freeze outlasts restarts', async () => {
    const first = await stageOf().play(MINUTE);
    await first.stop();
    const { sends } = first.venue;
    first.venue.told.set('AAPL', { address: other });
    const second = await stageOf(first).play(MINUTE);
    await move(second);
    expect(second.runner.kernel.context.accountState.frozen.get(AAPL)).toContain(other);
    await second.stop();
    first.venue.told.clear();
    const third = await stageOf(second).play(MINUTE);
    await move(third);
    expect(third.runner.kernel.context.accountState.frozen.get(AAPL)).toContain(other);
    expect(third.venue.sends).toBe(sends);
  });

  test.each([
    [
      'decimals',
      { before: { decimals: 18 }, after: { decimals: 6 }, why: 'decimals was 18, and the venue now says 6' },
    ],
    [
      'on-chain decimals',
      {
        before: { onChainDecimals: 18 },
        after: { onChainDecimals: 8 },
        why: 'on-chain decimals was 18, and the venue now says 8',
      },
    ],
    [
      'step',
      {
        before: {},
        after: { fractionable: false },
        why: 'step was a fraction of a share, and the venue now says a whole share',
      },
    ],
  ])('freezes the stock, too, when only its %s change', async (_name, { before, after, why }) => {
    const stage = stageOf();
    stage.venue.told.set('AAPL', before);
    await stage.play(MINUTE);
    expect(stage.runner.kernel.context.accountState.frozen.size).toBe(0);
    stage.venue.told.set('AAPL', after);
    await move(stage);
    expect(stage.runner.kernel.context.accountState.frozen.get(AAPL)).toContain(why);
  });

  test('is found by a pin journaled before the first order, or in an old journal by its orders', async () => {
    const stage = await stageOf().play(MINUTE);
    await move(stage);
    expect(pinsIn(stage)).toHaveLength(1);
    const pinned = stage.lines.findIndex((line) => line.includes('"kind":"pinned"'));
    expect(pinned).toBeLessThan(stage.lines.findIndex((line) => line.includes('"kind":"planned"')));
    await stage.stop();
    const old = stage.lines.filter((line) => !line.includes('"kind":"pinned"'));
    stage.lines.splice(0, stage.lines.length, ...old);
    stage.venue.told.set('AAPL', { address: other });
    const next = await stageOf(stage).play(MINUTE);
    expect(next.runner.kernel.context.accountState.frozen.get(AAPL)).toContain(other);
  });

  test('differs from a stock that is temporarily not tradable, which only ends orders', async () => {
    const stage = await stageOf().play(MINUTE);
    stage.venue.told.set('AAPL', { tradable: false });
    await move(stage);
    expect([stage.venue.sends, stage.runner.kernel.context.accountState.frozen.size]).toEqual([0, 0]);
    stage.venue.told.clear();
    await move(stage);
    expect(stage.venue.sends).toBeGreaterThan(0);
  });

  test('to that of another listed stock freezes the newcomer, and the known stock still trades', async () => {
    const stage = await stageOf().play(MINUTE);
    stage.venue.told.set('PLUG', { address: await addressOf(stage, 'AAPL') });
    stage.venue.prices.set('PLUG', 3n * 10n ** 17n);
    await move(stage);
    const { frozen } = stage.runner.kernel.context.accountState;
    expect([...frozen.keys()]).toEqual(['PLUG']);
    expect(frozen.get(ticker('PLUG'))).toContain('AAPL has the same contract');
  });

  test('freezes both stocks when they have one contract from the start', async () => {
    const stage = stageOf();
    stage.venue.told.set('AAPL', { address: other });
    stage.venue.told.set('MSFT', { address: other });
    await stage.play(MINUTE);
    await move(stage);
    expect([...stage.runner.kernel.context.accountState.frozen.keys()].sort()).toEqual(['AAPL', 'MSFT']);
    expect(stage.venue.sends).toBe(0);
  });
});

describe('a contract pinned by the config', () => {
  test('stops its stock while the venue names another one, names both, and pins nothing', async () => {
    const rules = { contracts: new Map([[AAPL, other]]) };
    const stage = await stageOf(undefined, { rules }).play(MINUTE);
    await move(stage);
    expect(stage.venue.sends).toBe(0);
    const known = await addressOf(stage, 'AAPL');
    expect(stage.alarms).toEqual([
      expect.stringMatching(new RegExp(`${other} in venue.contracts, and ${known}`)),
    ]);
    expect(pinsIn(stage).some((line) => line.includes('stock AAPL'))).toBe(false);
    await stage.stop();
    const next = await stageOf(stage, { rules: { contracts: new Map([[AAPL, known]]) } }).play(MINUTE);
    await move(next);
    expect(next.venue.sends).toBeGreaterThan(0);
  });

  test('leaves the other stocks trading', async () => {
    const rules = { contracts: new Map([[MSFT, other]]) };
    const stage = await stageOf(undefined, { rules }).play(MINUTE);
    await move(stage);
    expect(stage.venue.sends).toBeGreaterThan(0);
  });
});
