import { m5y } from './bars.ts';
import { backtestOf } from './backtestSet.ts';

/** Prints the peak memory of a backtest over the given number of sessions, in bytes, and its bars. */
const set = m5y(42, Number(process.argv[2]));
const bars = set.columns.start.length === 0 ? 0 : (await backtestOf('sma', set)).bars;
console.log(JSON.stringify({ bars, peak: process.resourceUsage().maxRSS * 1024 }));
