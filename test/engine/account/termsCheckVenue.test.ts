import { describe, expect, test } from 'vitest';
import { formatDecimal } from '../../../src/core/amount.ts';
import type { Address } from '../../../src/domain/instrument.ts';
import type { VenueTerms } from '../../../src/domain/venue.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { give } from '../operator/commands.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { changedCashToken, isCashToken } from '../../../src/domain/account/pinBook.ts';

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

  test('is pinned at the first start, and nothing is sent while the venue names another', async () => {
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

  test('stays pinned over a restart', async () => {
    const first = await stageOf().play(MINUTE);
    await first.stop();
    first.venue.delegatee = other;
    const second = await stageOf({ after: first }).play(MINUTE);
    await move(second);
    expect([second.venue.sends, told(second, both).length]).toEqual([0, 1]);
  });

  test('is the one in the config, and a new one there replaces the pin', async () => {
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

describe('venue fees', () => {
  const termsOf = (more: Partial<typeof fees>): VenueTerms => ({
    fees: { ...fees, ...more },
    cashTokens: [],
  });

  test('that rise are reported with both values, and the reserve of a buy uses the larger', async () => {
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

  test('that fall are reported, and the reserve keeps the larger, over a restart too', async () => {
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

test('changed terms that an operator accepts end their alarm', async () => {
  const stage = stageOf();
  stage.venue.tells = { fees, cashTokens: [] };
  await stage.play(MINUTE);
  stage.venue.tells = { fees: { ...fees, buyMintFeeBps: 50 }, cashTokens: [] };
  stage.venue.delegatee = other;
  await stage.pass(HOUR);
  expect(stage.runner.alarms.all.map(({ code }) => code)).toEqual(['TERMS_CHANGED', 'TERMS_CHANGED']);
  for (const subject of ['fees', 'one-click']) {
    const answer = give(stage, { kind: 'unfreeze', subject, acceptTerms: true });
    await stage.pass(MINUTE);
    expect(await answer).toMatchObject({ kind: 'done' });
  }
  expect(stage.runner.alarms.all).toEqual([]);
});

test.each([
  ['address', { ...token, address: other }, `address was ${usdc}, and the venue now says ${other}`],
  ['decimals', { ...token, decimals: 18 }, 'decimals was 6, and the venue now says 18'],
] as const)(
  'a cash token whose %s changed is reported with both values, and orders continue',
  async (...[, changed, why]) => {
    const stage = stageOf();
    stage.venue.tells = { fees: null, cashTokens: [token] };
    await stage.play(MINUTE);
    stage.venue.tells = { fees: null, cashTokens: [changed] };
    await stage.pass(HOUR);
    await move(stage);
    expect(told(stage, why)).toHaveLength(1);
    expect(stage.venue.sends).toBeGreaterThan(0);
  },
);

describe('a cash token that appears during a run', () => {
  const newcomer = { symbol: 'USDX', address: other, decimals: 18 };
  const stated = (...cashTokens: VenueTerms['cashTokens']): VenueTerms => ({ fees: null, cashTokens });
  const pinsOf = (stage: Stage) => stage.runner.kernel.context.accountState.pins;

  test('is reported once and not pinned, over a restart too, and orders continue', async () => {
    const first = stageOf();
    first.venue.tells = stated(token);
    await first.play(MINUTE);
    first.venue.tells = stated(token, newcomer);
    await first.pass(HOUR);
    await move(first);
    expect(told(first, `cash token USDX is new at the venue (address ${other}, decimals 18)`)).toHaveLength(
      1,
    );
    expect(first.alarms.join()).toContain('drover release USDX --accept-terms');
    expect(pinsOf(first).of('cash token USDX')).toBeUndefined();
    expect(isCashToken(pinsOf(first), other)).toBe(false);
    expect(changedCashToken(pinsOf(first))).toBeNull();
    expect(first.venue.sends).toBeGreaterThan(0);
    await first.stop();
    const second = await stageOf({ after: first }).play(MINUTE);
    expect(pinsOf(second).of('cash token USDX')).toBeUndefined();
    expect(pinsOf(second).departed('cash token USDX')).toEqual({ address: other, decimals: '18' });
  });

  test('under the symbol of a pinned token does not replace it', async () => {
    const stage = stageOf();
    stage.venue.tells = stated(token);
    await stage.play(MINUTE);
    stage.venue.tells = stated({ ...token, address: other }, token);
    await stage.pass(HOUR);
    expect(told(stage, `cash token ${other} is new at the venue`)).toHaveLength(1);
    expect(pinsOf(stage).of('cash token USDC')).toEqual({ address: usdc, decimals: '6' });
    expect(pinsOf(stage).departed('cash token USDC')).toBeUndefined();
    expect(isCashToken(pinsOf(stage), other)).toBe(false);
  });

  test('together with a thousand others adds at most 20 reports and journal entries', async () => {
    const stage = stageOf();
    stage.venue.tells = stated(token);
    await stage.play(MINUTE);
    const many = Array.from({ length: 1_000 }, (_, index) => ({ ...newcomer, symbol: `T${index}` }));
    stage.venue.tells = stated(token, ...many);
    await stage.pass(HOUR);
    expect(told(stage, 'is new at the venue').length).toBeLessThanOrEqual(20);
    expect(stage.lines.filter((line) => line.includes('"departed"')).length).toBeLessThanOrEqual(20);
  });

  test('after the first start is new, while one at the first start is pinned with the token confirmed there', async () => {
    const byHand = { pins: [{ subject: 'cash token USDC', terms: { address: usdc } }] } as const;
    const stage = stageOf({ more: byHand });
    stage.venue.tells = stated(token, newcomer);
    await stage.play(MINUTE);
    expect(told(stage, 'is new at the venue')).toEqual([]);
    expect(pinsOf(stage).of('cash token USDC')).toEqual({ address: usdc, decimals: '6' });
    expect(isCashToken(pinsOf(stage), newcomer.address)).toBe(true);
    stage.venue.tells = stated(token, newcomer, { ...newcomer, symbol: 'LATER', address: proxy });
    await stage.pass(HOUR);
    expect(told(stage, 'cash token LATER is new at the venue')).toHaveLength(1);
    expect(isCashToken(pinsOf(stage), proxy)).toBe(false);
  });
});
