import { AccountJournal } from '../accountJournal.ts';
import { AAPL } from '../orders.ts';

/**
 * A year of one stock, worked out by hand. Fees are in the basis of buys and in the proceeds of sells:
 *
 *   5 Jan   B1 buys 10 at 100, fee 1.10      cost 1,001.10   = 100.11 a share
 *   2 Feb   B2 buys 10 at 120, fee 1.32      cost 1,201.32   = 120.132 a share
 *  16 Feb   dividend of 0.50 a share on 20   10.00, paid on 2 March
 *  16 Mar   S1 sells 4 at 130, fee 0.052     proceeds 519.948
 *   1 Apr   4:1 split: 16 shares become 64; B1 costs 25.0275 a share, B2 30.033
 *   4 May   B3 buys 16 at 24, fee 0.4224     cost 384.4224   = 24.0264 a share
 *  15 Jun   dividend of 0.20 a share on 80   16.00, paid on 1 July
 *   3 Aug   S2 sells 50 at 35, fee 0.175     proceeds 1,749.825 = 34.9965 a share
 *
 * Cash: 10,000 - 1,001.10 - 1,201.32 + 10 + 519.948 - 384.4224 + 16 + 1,749.825 = 9,708.9306, and 30 shares are left.
 */
export function handYear(): AccountJournal {
  const journal = new AccountJournal('2026-01-02').open('10000').allocate('10000');
  journal.on('2026-01-05').trade({ side: 'buy', quantity: '10', price: '100', fee: '1.1' });
  journal.on('2026-02-02').trade({ side: 'buy', quantity: '10', price: '120', fee: '1.32' });
  const first = journal.on('2026-02-16', '04:00').entitle('0.5', '2026-03-02');
  journal.on('2026-03-02').pay(first);
  journal.on('2026-03-16').trade({ side: 'sell', quantity: '4', price: '130', fee: '0.052' });
  journal.on('2026-04-01', '04:00').split(1n, 4n);
  journal.on('2026-05-04').trade({ side: 'buy', quantity: '16', price: '24', fee: '0.4224' });
  const second = journal.on('2026-06-15', '04:00').entitle('0.2', '2026-07-01');
  journal.on('2026-07-01').pay(second);
  journal.on('2026-08-03').trade({ side: 'sell', quantity: '50', price: '35', fee: '0.175', symbol: AAPL });
  return journal;
}

/** Price of a share at the end of that year. */
export const YEAR_END_PRICE = '36';
