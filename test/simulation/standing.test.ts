import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import { transfer, type Bucket } from '../../src/emulator/state/ledger.ts';
import { Standing } from './standing.ts';
import type { VenueSide } from './venueSide.ts';

const PLUG = ticker('PLUG');
const HOLDER: Address = `0x${'11'.repeat(20)}`;
const SECOND = 1_000;

/** Venue that holds amounts of PLUG in the places given, and lies about it until a time in s. */
function venueOf(amounts: Partial<Record<Bucket, bigint>>, liesUntil = 0): VenueSide {
  const balances: Record<string, bigint> = {};
  for (const [bucket, amount] of Object.entries(amounts) as [Bucket, bigint][])
    transfer(balances, { asset: PLUG, amount, from: 'venue', to: { holder: HOLDER, bucket } });
  return {
    machine: { state: { balances } },
    key: { userAddress: HOLDER },
    isDeceived: (_symbol: string, now: number) => now < liesUntil * SECOND,
  } as unknown as VenueSide;
}

/** Ledger with an amount of PLUG, and orders of it under way or not. */
const ledgerOf = (amount: bigint, orders: readonly string[] = []) =>
  ({
    ledger: { assets: new Set(['mUSD', PLUG]), total: () => amount },
    live: new Map(orders.map((id) => [id, { terms: { symbol: PLUG } }])),
  }) as unknown as AccountState;

/** True when an order may not be sent 40 s after the difference began, with a read at `lookedAt`. */
function isOverdue(venue: VenueSide, accountState: AccountState, lookedAt: number): boolean {
  const standing = new Standing(true);
  for (let at = 0; at <= 40; at += 10) standing.sample(venue, accountState, epochMs(at * SECOND));
  standing.looked(epochMs(lookedAt * SECOND));
  return standing.isOverdue(PLUG, epochMs(40 * SECOND));
}

describe('a difference of a stock', () => {
  test('is overdue once positions that show it have been read', () => {
    expect(isOverdue(venueOf({ exchange: 10n }), ledgerOf(8n), 20)).toBe(true);
  });

  test('is not overdue before positions have been read', () => {
    expect(isOverdue(venueOf({ exchange: 10n }), ledgerOf(8n), -10)).toBe(false);
  });

  test('is not overdue while an order under way may explain it', () => {
    expect(isOverdue(venueOf({ exchange: 10n }), ledgerOf(8n, ['a-1.1']), 20)).toBe(false);
  });

  test('is not overdue while the venue locks sold shares and shows only the free ones', () => {
    expect(isOverdue(venueOf({ exchange: 8n, locked: 2n }), ledgerOf(8n), 20)).toBe(false);
  });

  test('is not overdue while list and account both misreport it', () => {
    expect(isOverdue(venueOf({ exchange: 10n }, 50), ledgerOf(8n), 39)).toBe(false);
  });

  test('is overdue once both report correctly again and positions have been read since', () => {
    expect(isOverdue(venueOf({ exchange: 10n }, 15), ledgerOf(8n), 30)).toBe(true);
    expect(isOverdue(venueOf({ exchange: 10n }, 15), ledgerOf(8n), 18)).toBe(false);
  });

  test('is overdue when the venue locks more than was sold', () => {
    expect(isOverdue(venueOf({ exchange: 7n, locked: 2n }), ledgerOf(8n), 20)).toBe(true);
  });
});
