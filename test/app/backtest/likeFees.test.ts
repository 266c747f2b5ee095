import { expect, test } from 'vitest';
import { feesIn } from '../../../src/app/backtest/likeRun.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { parseFees } from '../../../src/domain/fees.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { readerOf } from '../../report/live/liveJournal.ts';

const terms = (mint: number, buy: number, sell: number) => ({
  buyMintFeeBps: String(mint),
  buyProtocolFeeBps: String(buy),
  sellProtocolFeeBps: String(sell),
});
const pinned = (mint: number, buy: number, sell: number): JournalEvent => ({
  kind: 'pinned',
  pins: [{ subject: 'fees', terms: terms(mint, buy, sell) }],
});
const taken = (side: 'buy' | 'sell', bps: number): JournalEvent => ({
  kind: 'feeTaken',
  id: 'o' as never,
  side,
  bps,
});
const departed: JournalEvent = { kind: 'departed', subject: 'fees', terms: terms(30, 2, 2) };

test.each<[what: string, facts: readonly JournalEvent[], fees: string | null]>([
  ['no fees are stated', [], null],
  ['the documented ones are pinned', [pinned(10, 1, 1)], null],
  ['others are pinned', [pinned(20, 2, 3)], 'rates:20/2/3'],
  ['the venue states others later', [pinned(20, 2, 3), departed], 'rates:30/2/2'],
  ['a settlement took more', [pinned(10, 1, 1), taken('buy', 14.5), taken('sell', 4)], 'rates:10/5/4'],
  ['a settlement took less', [pinned(20, 2, 3), taken('sell', 1)], 'rates:20/2/3'],
])('the fees of --like for a journal in which %s', (_what, facts, fees) => {
  expect(feesIn(readerOf(facts.map((fact) => ({ at: epochMs(0), fact }))))).toBe(fees);
});

test('"rates:20/2/3" gives the minting fee and the protocol fee of a buy, and the protocol fee of a sell', () => {
  expect(parseFees('rates:20/2/3')).toEqual({
    buyMintFeeBps: 20,
    buyProtocolFeeBps: 2,
    sellProtocolFeeBps: 3,
  });
});
