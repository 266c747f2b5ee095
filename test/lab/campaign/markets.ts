import type { BacktestBars } from '../../../src/backtest/options.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { seededRandom } from '../../../src/core/seeded.ts';
