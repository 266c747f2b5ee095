import { describe, expect, test } from 'vitest';
import { parseDecimal, parsePrice } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { NoAnswerError } from '../../../src/core/errors.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { ticker, type Ticker } from '../../../src/domain/instrument.ts';
import type { PerToken, TokenQuote, TokenRatio } from '../../../src/domain/premium.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { FakePulse } from '../fakePulse.ts';
import { settable } from '../settable.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const AAPL = ticker('AAPL');

/** Response of the venue about the token of AAPL; null while it does not respond. */
type Answer = { token?: string; share?: string; ratio?: string | null; ageMs?: number };

/** A stage whose venue shows a token; the test may change `answer`. */
function staged(answer: Answer | null, options: StageOptions) {
  const shown = { answer };
  const stage = new Stage({
    data: { quotes: ['AAPL'] },
    ...options,
    as: (venue, clock) =>
      Object.assign(venue, {
        tokenQuote: (symbol: Ticker): Promise<TokenQuote> => {
          if (shown.answer === null) return Promise.reject(new NoAnswerError('the venue does not answer'));
          const { token, share = '100', ratio = '1', ageMs = 0 } = shown.answer;
          return Promise.resolve({
            symbol,
            share: parsePrice(share),
            price: token === undefined ? null : (parseDecimal(token) as PerToken),
            ratio: ratio === null ? null : (parseDecimal(ratio, { signed: true }) as TokenRatio),
            at: epochMs(clock.now() - ageMs),
          });
        },
      }),
  });
  return { stage, shown };
}

const buyer: StrategyHooks = {
  onStart: ({ order }) => void order.buy('AAPL', { notional: 500 }, 'the start'),
};

const limits = { premiumBps: 100 };

/** Reasons of dropped orders. */
const ends = (stage: Stage) =>
  [...memoryJournal(stage.lines).entries()].flatMap(({ fact }) =>
    fact.kind === 'intentEnded' ? [`${fact.code ?? ''}: ${fact.why}`] : [],
  );

describe('limits.premiumBps', () => {
  test.each<[string, Answer | null, RegExp]>([
    [
      'at a premium over it',
      { token: '101.01' },
      /^PREMIUM: the token of AAPL is at a premium of 101 bps \(101\.01 a token, 100 a share, 1 shares a token\), over 100 bps \(premiumBps\)$/,
    ],
    ['at a premium of 90 %', { token: '190' }, /not believed/],
    ['at an implausible discount', { token: '10' }, /not believed/],
    ['without a price of the token', {}, /no present price/],
    ['by a price that is an hour old', { token: '100', ageMs: 60 * MINUTE }, /no present price/],
    ['at a ratio of 0', { token: '100', ratio: '0' }, /cannot stand for 0 shares/],
    ['while the venue does not answer', null, /no price of the token of AAPL has been read/],
  ])('refuses a buy %s', async (_, answer, why) => {
    const { stage } = staged(answer, { hooks: { solo: buyer }, limits });
    await stage.play(MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(ends(stage)).toEqual([expect.stringMatching(why)]);
  });

  test.each<[string, Answer]>([
    ['at the premium itself', { token: '101' }],
    ['at a discount', { token: '98' }],
    ['of a token whose ratio is unknown', { token: '150', ratio: null }],
    ['of a token of 1.5 shares', { token: '151', ratio: '1.5' }],
  ])('lets a buy %s pass', async (_, answer) => {
    const { stage } = staged(answer, { hooks: { solo: buyer }, limits });
    await stage.play(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.said(/does not bind it/)).toBe(answer.ratio === null);
  });

  test.each([
    { title: 'binds by the ratio stated by the token itself', own: '1.5', ratio: null, sends: 0 },
    { title: 'prefers the ratio of the venue over that of the token', own: '1.5', ratio: '1.51', sends: 1 },
    { title: 'does not bind if the node refuses the query', own: null, ratio: null, sends: 1 },
    { title: 'does not bind if the node never answers', own: 'never', ratio: null, sends: 1 },
  ])('$title', async ({ own, ratio, sends }) => {
    const { stage } = staged({ token: '152', ratio }, { hooks: { solo: buyer }, limits });
    Object.assign(stage.venue, {
      tokenMultipliers: () =>
        own === 'never'
          ? new Promise(() => undefined)
          : own === null
            ? Promise.reject(new NoAnswerError('the node does not answer'))
            : Promise.resolve({ ratio: parseDecimal(own), growth: null }),
    });
    await stage.play(MINUTE);
    expect(stage.venue.sends).toBe(sends);
  });

  test('uses the last known ratio of a venue that no longer states it', async () => {
    const late: StrategyHooks = {
      onQuote: ({ order, price }) => {
        if (price === 99) order.buy('AAPL', { notional: 500 }, 'late');
      },
    };
    const { stage, shown } = staged({ token: '100' }, { hooks: { solo: late }, limits });
    await stage.play(10 * SECOND);
    shown.answer = { token: '102', ratio: null };
    await stage.pass(2 * MINUTE);
    stage.venue.prices.set('AAPL', parsePrice('99'));
    await stage.pass(MINUTE);
    expect([stage.venue.sends, ends(stage)]).toEqual([0, [expect.stringMatching(/a premium of 200 bps/)]]);
  });

  test('uses a price read within a minute after the clock was set back by half an hour', async () => {
    const late: StrategyHooks = {
      onQuote: ({ order, price }) => {
        if (price === 99) order.buy('AAPL', { notional: 500 }, 'late');
      },
    };
    const watchdog = new FakePulse();
    const { stage, shown } = staged({ token: '100' }, { hooks: { solo: late }, limits, more: { watchdog } });
    await stage.play(45 * MINUTE);
    settable(stage, watchdog)(-30 * MINUTE);
    shown.answer = { token: '102' };
    await stage.pass(2 * MINUTE);
    stage.venue.prices.set('AAPL', parsePrice('99'));
    await stage.pass(MINUTE);
    expect([stage.venue.sends, ends(stage)]).toEqual([0, [expect.stringMatching(/a premium of 200 bps/)]]);
  });

  test('prefers the ratio of the config over that of the venue', async () => {
    const rules = { tokenRatios: { stocks: new Map([[AAPL, parseDecimal('1') as TokenRatio]]) } };
    const { stage } = staged({ token: '151', ratio: '1.5' }, { hooks: { solo: buyer }, limits, rules });
    await stage.play(MINUTE);
    expect(stage.venue.sends).toBe(0);
  });

  test('refuses a sell at a discount, and lets the exit of a stop pass', async () => {
    const seller: StrategyHooks = {
      onStart: ({ order }) =>
        void order.bracket('AAPL', { entry: { notional: 500 }, stopLoss: { percent: 5 } }, 'in'),
      onQuote({ order, price }) {
        if (price === 99) order.sell('AAPL', { shares: 1 }, 'out');
      },
    };
    const { stage, shown } = staged({ token: '100' }, { hooks: { solo: seller }, limits });
    await stage.play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    shown.answer = { token: '97' };
    await stage.pass(2 * MINUTE);
    stage.venue.prices.set('AAPL', parsePrice('99'));
    await stage.pass(MINUTE);
    expect(ends(stage).at(-1)).toMatch(/^PREMIUM: .* at a discount of 300 bps/);
    expect(stage.venue.sends).toBe(1);
    stage.venue.prices.set('AAPL', parsePrice('90'));
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(2);
  });

  test('that is absent reads no token', async () => {
    let asked = 0;
    const stage = new Stage({
      hooks: { solo: buyer },
      as: (venue) =>
        Object.assign(venue, { tokenQuote: () => Promise.reject(new Error(`asked ${++asked} times`)) }),
    });
    await stage.play(2 * MINUTE);
    expect([asked, stage.venue.sends]).toEqual([0, 1]);
    expect(stage.lines.join()).not.toContain('tokenPrices');
  });
});

describe('the premium in the view of a strategy', () => {
  const seen: (number | null | undefined)[] = [];
  const watcher: StrategyHooks = {
    onStart: ({ view }) => void seen.push(view.quote('AAPL')?.premiumBps),
    onQuote({ view, order, price }) {
      const { premiumBps } = view.quote('AAPL') ?? {};
      seen.push(premiumBps);
      if (premiumBps != null && premiumBps < 0) order.buy('AAPL', { notional: 100 + price }, 'cheap');
    },
  };

  test('follows the venue, and a replay of the journal uses the same values', async () => {
    const more = {
      periods: {
        quotesMs: 5_000,
        ordersMs: 5_000,
        restingMs: 10_000,
        accountMs: 30_000,
        tokenPricesMs: 10_000,
      },
    };
    const { stage, shown } = staged({ token: '101' }, { hooks: { solo: watcher }, more });
    await stage.play(30 * SECOND);
    shown.answer = { token: '99.5' };
    await stage.pass(30 * SECOND);
    stage.venue.prices.set('AAPL', parsePrice('100.5'));
    await stage.pass(30 * SECOND);
    shown.answer = null;
    await stage.pass(6 * MINUTE);
    stage.venue.prices.set('AAPL', parsePrice('100.6'));
    await stage.pass(30 * SECOND);
    expect(seen.splice(0)).toEqual([100, -50, null]);
    expect(stage.venue.sends).toBe(1);
    const entries: JournalEntry[] = [...memoryJournal(stage.lines).entries()];
    expect(entries.filter(({ fact }) => fact.kind === 'tokenPrices')).toHaveLength(3);
    const { calendar, rules, strategies } = staged(null, { hooks: { solo: watcher }, more }).stage.options;
    const kernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
    expect(replay(entries, kernel)).toEqual({ orders: 1, wishes: 1, parting: null });
    expect(seen).toEqual([100, -50, null]);
  });
});
