import { cash, price, shares } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import { LOG_EVENTS } from './strategyEvents.ts';
import { LATER_SYNTHETIC_EVENTS } from './syntheticEvents.ts';

const wad = 10n ** 18n;
const AAPL = ticker('AAPL');

/** Events whose rows stand at the end, in the order in which they came. */
export const LATER_EVENTS: readonly JournalEvent[] = [
  ...LOG_EVENTS,
  ...LATER_SYNTHETIC_EVENTS,
  {
    kind: 'opened',
    cash: cash(wad),
    holdings: [[AAPL, shares(wad)]],
    equity: cash(191n * wad),
    prices: [[AAPL, price(190n * wad)]],
  },
  {
    kind: 'intentRefused',
    id: 'alpha-7',
    strategyId: 'alpha',
    symbol: AAPL,
    call: 'stop',
    side: 'sell',
    reason: 'told',
    tag: 'dip',
    code: 'NO_SHARES',
    why: 'told',
  },
];
