import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { cash, parseShares, shares, type Shares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { DOCUMENTED_FEES } from '../../../src/domain/fees.ts';
import type { Ticker } from '../../../src/domain/instrument.ts';
import type { AccountReport } from '../../../src/domain/venue.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { AAPL, MSFT } from '../../domain/orders.ts';
import { USDC } from '../../domain/operations.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

type Seen = Readonly<{ exchange?: bigint; wallet?: bigint; token?: bigint; debt?: bigint }>;

/** An account with 100 mUSD and 5 AAPL at the venue, 3 AAPL and 50 tokens in the wallet, and no debt by default. */
const seen = ({ exchange = 5n, wallet = 3n, token = 50n, debt = 0n }: Seen = {}): AccountReport => ({
  cash: cash(100n),
  holdings: new Map([[AAPL, { exchange: shares(exchange), wallet: shares(wallet) }]]),
  tokens: new Map([[USDC, token]]),
  debts: new Map<Ticker, Shares>(debt === 0n ? [] : [[AAPL, shares(debt)]]),
});

/** Journal events and notices of a kernel for these reports, 20 seconds apart. */
function told(reports: readonly AccountReport[]) {
  const fees = DOCUMENTED_FEES;
  const rules = { limits: {}, ownLimits: new Map(), collarBps: 0, deadlineMs: 0, fees };
  const obstacles = { reason: () => null };
  const kernel = new Kernel({ calendar: tradingCalendar, rules, strategies: [], obstacles });
  kernel.handle({ kind: 'opened', account: seen() }, MORNING);
  const alarms = [seen(), ...reports].flatMap((report, index) => {
    const at = epochMs(MORNING + index * 20 * SECOND);
    const { notices } = kernel.handle({ kind: 'account', asked: at, report }, at);
    return notices.filter(({ kind }) => kind === 'alarm').map(({ text }) => text);
  });
  return { alarms, kernel, books: kernel.context.accountState };
}

const tenAt90 = { side: 'buy', shares: 10, price: 90 } as const;
const thrice = (one: AccountReport) => [one, one, one];

describe("a difference outside the venue's exchange", () => {
  test.each<[string, Seen, object, string]>([
    ['stock of the wallet', { wallet: 2n }, { side: 'wallet', asset: AAPL }, 'AAPL in the wallet'],
    ['tokens of the wallet', { token: 49n }, { side: 'wallet', asset: USDC }, `${USDC} in the wallet`],
    ['shares owed', { debt: 1n }, { side: 'debt', asset: AAPL }, 'AAPL owed'],
  ])('in %s is reported once and counted, and freezes nothing', (...[, change, fact, words]) => {
    const { alarms, books: accountState, kernel } = told(thrice(seen(change)));
    expect(accountState.differences).toMatchObject([fact]);
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toContain(`difference in ${words}`);
    expect([...accountState.frozen]).toEqual([]);
    expect(kernel.reconciliation.clean).toBe(false);
    expect(kernel.context.holds.against(AAPL)).toBeNull();
    const mended = told([...thrice(seen(change)), seen()]);
    expect(mended.kernel.reconciliation.open).toEqual([]);
  });

  test('stays open while the amounts differ, even by another amount', () => {
    const { kernel } = told([...thrice(seen({ wallet: 2n })), seen({ wallet: 1n })]);
    expect([kernel.reconciliation.found, kernel.reconciliation.open]).toEqual([1, ['AAPL in the wallet']]);
  });

  test('of a stock freezes it when it is at the exchange itself', () => {
    const { books: accountState } = told(thrice(seen({ exchange: 4n })));
    expect(accountState.differences).toMatchObject([{ asset: AAPL }]);
    expect([...accountState.frozen.keys()]).toEqual([AAPL]);
  });

  test('that does not last is not reported, and the ledger is unchanged', () => {
    const { books: accountState } = told([seen({ wallet: 2n }), seen(), seen({ wallet: 2n })]);
    expect(accountState.differences).toEqual([]);
    expect(accountState.ledger.balance('', 'wallet', AAPL)).toBe(3n);
  });

  test('is not looked for in a wallet the venue does not report or in debts that are not read', () => {
    const { cash: mUsd, holdings } = seen();
    const { books: accountState } = told(thrice({ cash: mUsd, holdings }));
    expect(accountState.differences).toEqual([]);
  });

  test('is found for stock that is new in the wallet', () => {
    const { holdings, ...rest } = seen();
    const more = new Map([...holdings, [MSFT, { exchange: shares(0n), wallet: shares(1n) }] as const]);
    const { books: accountState } = told(thrice({ ...rest, holdings: more }));
    expect(accountState.differences).toMatchObject([
      { asset: MSFT, side: 'wallet', expected: 0n, actual: 1n },
    ]);
  });
});

describe('a difference that keeps changing', () => {
  /** Tokens left in the wallet after 20 s, 40 s and so on, of 50. */
  const tokens = (...left: readonly number[]) => told(left.map((token) => seen({ token: BigInt(token) })));
  const drift = (polls: number) => Array.from({ length: polls }, (_, index) => 49 - index);
  const amounts = (alarms: readonly string[]) =>
    alarms.map((text) => Number(/venue (.*)/.exec(text)?.[1]) * 1e18);

  test('counts after 90 s without agreement, and is reported again each time it has doubled', () => {
    const { alarms, books: accountState, kernel } = tokens(...drift(48));
    expect(amounts(alarms)).toEqual([44, 38, 26, 2]);
    expect(accountState.differences.map(({ actual }) => actual)).toEqual([44n, 38n, 26n, 2n]);
    expect([kernel.reconciliation.open, kernel.reconciliation.settled]).toEqual([
      [`${USDC} in the wallet`],
      true,
    ]);
  });

  test('is reported once more when it stops changing', () => {
    const { alarms } = tokens(...drift(8), 42, 42);
    expect(amounts(alarms)).toEqual([44, 42]);
  });

  test('freezes the stock', () => {
    const { books: accountState } = told(drift(6).map((exchange) => seen({ exchange: BigInt(exchange) })));
    expect([...accountState.frozen.keys()]).toEqual([AAPL]);
  });

  test('does not count when the amounts agree in between', () => {
    const { alarms } = tokens(49, 48, 47, 50, 46, 45, 44, 50, 43, 42);
    expect(alarms).toEqual([]);
  });

  test('is not reported again when it returns to the reported amount', () => {
    const { alarms } = tokens(49, 49, 49, ...Array.from({ length: 9 }, () => [9, 49]).flat());
    expect(amounts(alarms)).toEqual([49]);
  });

  test('counts only after half an hour while an order under way explains it', async () => {
    const stage = new Stage({ hooks: { solo: atStart((order) => order.limit('AAPL', tenAt90)) } });
    await stage.play(MINUTE);
    const deliver = async (times: number) => {
      for (let time = 0; time < times; time++) {
        stage.venue.holdings.set('AAPL', (stage.venue.holdings.get('AAPL') ?? 0n) + parseShares('0.1'));
        await stage.pass(MINUTE);
      }
    };
    await deliver(29);
    expect(stage.alarms).toEqual([]);
    await deliver(3);
    expect(stage.alarms).toEqual([
      expect.stringMatching(/^difference in AAPL: the ledger says 0, the venue 3/),
      'AAPL is frozen: ledger and venue differ',
    ]);
  });
});
