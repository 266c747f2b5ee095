import { CSV_HEADER } from './csvBars.ts';
import type { BarColumns } from './series.ts';

const ROWS = 10_000;

/** Bars as CSV that reads back to the same numbers, some lines at a time; `ts` in epoch ms. */
export function* csvText({ start, open, high, low, close, volume }: BarColumns): Generator<string> {
  yield `${CSV_HEADER}\n`;
  for (let from = 0; from < start.length; from += ROWS) {
    let text = '';
    for (let at = from; at < Math.min(from + ROWS, start.length); at++)
      text += `${start[at]},${open[at]},${high[at]},${low[at]},${close[at]},${volume[at]}\n`;
    yield text;
  }
}
