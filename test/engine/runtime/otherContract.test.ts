import { describe, expect, test } from 'vitest';
import { parseShares, shares } from '../../../src/core/amount.ts';
import { ticker, type Address } from '../../../src/domain/instrument.ts';
import type { AccountReport } from '../../../src/domain/venue.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const other: Address = `0x${'ab'.repeat(20)}`;
const buying = {
  solo: {
    onQuote({ symbol, order }: HookContext & { symbol: string }) {
      if (symbol === 'AAPL') order.buy('AAPL', { notional: '100' });
    },
  },
};

/** An account whose positions name contracts: the pinned one of AAPL, and another with `more` shares. */
async function stageWith(own: string, more: string): Promise<Stage> {
  const stage = new Stage({ hooks: buying, data: { quotes: ['AAPL'] } });
  const [listing] = await stage.venue.listings();
  const contract = listing?.instrument.address ?? other;
  const row = (amount: string, by: Address) => ({
    exchange: parseShares(amount),
    wallet: shares(0n),
    contract: by,
  });
  const account = stage.venue.account.bind(stage.venue);
  stage.venue.account = async (): Promise<AccountReport> => ({
    ...(await account()),
    holdings: new Map([[AAPL, row(more, other)]]),
    apart: own === '0' ? [] : [[AAPL, row(own, contract)]],
  });
  return stage;
}

async function move(stage: Stage): Promise<void> {
  stage.venue.prices.set('AAPL', ((stage.venue.prices.get('AAPL') ?? 0n) * 1001n) / 1000n);
  await stage.pass(30 * SECOND);
}

const held = (stage: Stage) => stage.runner.kernel.context.accountState.ledger.total(AAPL);
const told = (stage: Stage) => stage.alarms.filter((text) => text.includes(other));

describe('a position under another contract than the pinned one', () => {
  test('is not counted at the start, is reported once, and stops orders of the stock', async () => {
    const stage = await (await stageWith('0', '7')).play(MINUTE);
    await move(stage);
    expect(held(stage)).toBe(0n);
    expect(told(stage)).toHaveLength(1);
    expect(told(stage)[0]).toMatch(/7 AAPL of the contract 0xab.* not counted/);
    expect(stage.venue.sends).toBe(0);
  });

  test('does not hide the position under the pinned contract', async () => {
    const stage = await (await stageWith('2', '7')).play(MINUTE);
    expect(held(stage)).toBe(parseShares('2'));
    expect(told(stage)).toHaveLength(1);
  });

  test('of zero shares stops nothing', async () => {
    const stage = await (await stageWith('2', '0')).play(MINUTE);
    await move(stage);
    expect([told(stage), stage.venue.sends > 0]).toEqual([[], true]);
  });

  test('in place of the pinned one during a run is a difference', async () => {
    const stage = await stageWith('2', '0');
    await stage.play(MINUTE);
    const account = stage.venue.account.bind(stage.venue);
    stage.venue.account = async () => {
      const { apart: _, ...report } = await account();
      const row = { exchange: parseShares('2'), wallet: shares(0n), contract: other };
      return { ...report, holdings: new Map([[AAPL, row]]) };
    };
    await stage.pass(MINUTE);
    const { sends } = stage.venue;
    await move(stage);
    await stage.pass(3 * MINUTE);
    expect(stage.alarms.join()).toMatch(/difference in AAPL: the ledger says 2/);
    expect(told(stage)).toHaveLength(1);
    expect(stage.venue.sends).toBe(sends);
  });
});
