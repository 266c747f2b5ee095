import { parseDecimal, parsePrice } from '../../../src/core/amount.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import type { Ticker } from '../../../src/domain/instrument.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { LiveHistory, type LiveJournal } from '../../../src/report/live/liveHistory.ts';
import { liveRecord, type LiveIdentity } from '../../../src/report/live/liveRecord.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { AccountJournal } from '../../domain/accountJournal.ts';
import { AAPL, MSFT } from '../../domain/orders.ts';

/** Reader of a journal in memory, which may grow. */
export function readerOf(entries: readonly JournalEntry[]): LiveJournal {
  const lines = () => entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
  return {
    *ofKinds(kinds: readonly string[], since = 0) {
      yield* lines().filter(({ seq, fact }) => seq > since && kinds.includes(fact.kind));
    },
    *backwards(kinds: readonly string[] | null, seq: number) {
      yield* lines()
        .filter((line) => (kinds?.includes(line.fact.kind) ?? true) && line.seq < seq)
        .reverse();
    },
  } as LiveJournal;
}

export const IDENTITY: LiveIdentity = {
  kind: 'live',
  account: '0xab on chain 143',
  params: new Map(),
  calendar: tradingCalendar,
};

/** Record of a journal: of the account, or of one strategy. */
export const recordOf = (entries: readonly JournalEntry[], owner: string | null = null): RunRecord =>
  liveRecord(new LiveHistory(readerOf(entries)), IDENTITY, owner === null ? null : [owner]);

/** Journal of an account that also has quotes and sessions. */
export class LiveDays extends AccountJournal {
  quote(prices: Readonly<Record<string, string>>): this {
    const quoted = Object.entries(prices).map(
      ([symbol, text]) => [symbol as Ticker, parsePrice(text)] as const,
    );
    return this.add({ kind: 'quotes', prices: quoted });
  }

  opens(date: string): this {
    return this.on(date, '09:30').add({
      kind: 'session',
      change: 'opened',
      date,
      equity: [[UNALLOCATED, 0n as never]],
    });
  }

  closes(date: string): this {
    return this.on(date, '16:00').add({ kind: 'session', change: 'closed', date, equity: [] });
  }
}

/** A year in small: stock held before, trades, dividend, split, transfers of cash and stock, a write-off. */
export function someYear(): LiveDays {
  const days = new LiveDays('2026-01-05').quote({ AAPL: '100', MSFT: '50' });
  days
    .open('10000', [[AAPL, '2', '100']])
    .allocate('5000')
    .allocate('1000', 'beta');
  days.opens('2026-01-05').on('2026-01-05', '10:00');
  days.trade({ side: 'buy', quantity: '10', price: '100', fee: '1.1' });
  days.trade({ side: 'buy', quantity: '8', price: '50', fee: '0.44', symbol: MSFT, strategyId: 'beta' });
  days.on('2026-01-05', '15:59').quote({ AAPL: '110' }).closes('2026-01-05');
  days.opens('2026-01-06').on('2026-01-06', '11:00').transfer('cashDeposit', { amount: '40000' });
  days.on('2026-01-06', '15:59').quote({ AAPL: '99' }).closes('2026-01-06');
  const dividend = days.on('2026-01-07', '04:00').entitle('0.5', '2026-01-08');
  days.split(1n, 4n);
  days.opens('2026-01-07').on('2026-01-07', '12:00').quote({ AAPL: '25', MSFT: '51' });
  days.trade({ side: 'sell', quantity: '16', price: '25', fee: '0.04', tag: 'half' });
  days.transfer('stockDeposit', { amount: '4', value: '100', strategyId: 'alpha' });
  days.closes('2026-01-07').opens('2026-01-08').on('2026-01-08', '10:30').pay(dividend);
  days.transfer('cashWithdrawal', { amount: '300' });
  days.trade({ side: 'sell', quantity: '28', price: '26', fee: '0.0728' });
  days.add({
    kind: 'writtenOff',
    strategyId: 'beta',
    symbol: MSFT,
    quantity: days.state.ledger.held('beta', MSFT) as never,
    value: parseDecimal('408') as never,
    why: 'gone',
  });
  return days.quote({ AAPL: '26.5' }).closes('2026-01-08');
}
