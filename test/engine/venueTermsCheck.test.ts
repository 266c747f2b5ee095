import { describe, expect, test } from 'vitest';
import { formatDecimal } from '../../src/core/amount.ts';
import type { Address } from '../../src/domain/instrument.ts';
import type { VenueTerms } from '../../src/domain/venue.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from './stage.ts';

const proxy: Address = `0x${'cd'.repeat(20)}`;
const other: Address = `0x${'ab'.repeat(20)}`;
const usdc: Address = `0x${'ef'.repeat(20)}`;
const fees = { buyMintFeeBps: 10, buyProtocolFeeBps: 1, sellProtocolFeeBps: 1 };
const token = { symbol: 'USDC', address: usdc, decimals: 6 };
const HOUR = 60 * MINUTE;

const buying = {
  solo: {
    onQuote({ symbol, order }: HookContext & { symbol: string }) {
      if (symbol === 'AAPL') order.buy('AAPL', { notional: '100' });
    },
  },
};
const stageOf = (more: StageOptions = {}) => {
  const stage = new Stage({ hooks: buying, data: { quotes: ['AAPL'] }, ...more });
  stage.venue.delegatee ??= proxy;
  return stage;
};

async function move(stage: Stage): Promise<void> {
  stage.venue.prices.set('AAPL', ((stage.venue.prices.get('AAPL') ?? 0n) * 1001n) / 1000n);
  await stage.pass(30 * SECOND);
}

const told = (stage: Stage, text: string) => stage.alarms.filter((alarm) => alarm.includes(text));

describe('the delegatee of One Click', () => {
  const both = `delegatee was ${proxy}, and the venue now says ${other}`;

  test('is pinned at the first start; while the venue names another, nothing is sent', async () => {
    const stage = await stageOf().play(MINUTE);
    stage.venue.delegatee = other;
    await stage.pass(MINUTE);
    await move(stage);
    expect([stage.venue.sends, told(stage, both).length]).toEqual([0, 1]);
    stage.venue.delegatee = proxy;
    await stage.pass(MINUTE);
    await move(stage);
    expect(stage.venue.sends).toBeGreaterThan(0);
  });

  test('is held to over a restart', async () => {
    const first = await stageOf().play(MINUTE);
    await first.stop();
    first.venue.delegatee = other;
    const second = await stageOf({ after: first }).play(MINUTE);
    await move(second);
    expect([second.venue.sends, told(second, both).length]).toEqual([0, 1]);
  });

  test('is the one of the config, which takes a new one over', async () => {
    const first = await stageOf({ rules: { delegatee: other } }).play(MINUTE);
    await move(first);
    expect(first.venue.sends).toBe(0);
    expect(told(first, `delegatee was ${other}, and the venue now says ${proxy}`)).toHaveLength(1);
    await first.stop();
    const second = await stageOf({ after: first, rules: { delegatee: proxy } }).play(MINUTE);
    await move(second);
    expect(second.venue.sends).toBeGreaterThan(0);
    expect(second.lines.some((line) => line.includes('"pinned"') && line.includes(proxy))).toBe(true);
  });
});

describe('fees', () => {
  const termsOf = (more: Partial<typeof fees>): VenueTerms => ({
    fees: { ...fees, ...more },
    cashTokens: [],
  });

  test('that the venue raises are told with both, and the reserve of a buy has the larger', async () => {
    const stage = stageOf();
    stage.venue.tells = termsOf({});
    await stage.play(MINUTE);
    await move(stage);
    expect(formatDecimal(stage.orders.at(-1)?.reserve ?? 0n)).toBe('100.11');
    stage.venue.fill(stage.venue.last);
    stage.venue.tells = termsOf({ buyMintFeeBps: 50 });
    await stage.pass(HOUR);
    await move(stage);
    expect(formatDecimal(stage.orders.at(-1)?.reserve ?? 0n)).toBe('100.51');
    expect(told(stage, 'buyMintFeeBps was 10, and the venue now says 50')).toHaveLength(1);
  });

  test('that it lowers leave the reserve as it was, over a restart too', async () => {
    const first = stageOf();
    first.venue.tells = termsOf({ buyMintFeeBps: 50 });
    await first.play(MINUTE);
    await first.stop();
    first.venue.tells = termsOf({ buyMintFeeBps: 0 });
    const second = await stageOf({ after: first }).play(MINUTE);
    await move(second);
    expect(formatDecimal(second.orders.at(-1)?.reserve ?? 0n)).toBe('100.51');
    expect(told(second, 'buyMintFeeBps was 50, and the venue now says 0')).toHaveLength(1);
  });
});

test.each([
  ['address', { ...token, address: other }, `address was ${usdc}, and the venue now says ${other}`],
  ['decimals', { ...token, decimals: 18 }, 'decimals was 6, and the venue now says 18'],
] as const)('another %s of a cash token is told with both, and orders go on', async (...[, changed, why]) => {
  const stage = stageOf();
  stage.venue.tells = { fees: null, cashTokens: [token] };
  await stage.play(MINUTE);
  stage.venue.tells = { fees: null, cashTokens: [changed] };
  await stage.pass(HOUR);
  await move(stage);
  expect(told(stage, why)).toHaveLength(1);
  expect(stage.venue.sends).toBeGreaterThan(0);
});
