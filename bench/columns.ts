import { columns as columnsOf, donchian, ema, macd, rsi, sma, supertrend } from '../src/strategy/index.ts';
import { m5y } from './bars.ts';
import { median, timed, type Result } from './result.ts';

const ROUNDS = 15;
const SESSIONS = 500;

/**
 * Measures the columnar form of indicators over minutes of 500 sessions. They alternate, so that no call in `columns` is
 * compiled for only one of them.
 */
export async function columns(): Promise<Result[]> {
  const bars = m5y(42, SESSIONS).columns;
  const { close } = bars;
  const measured = [
    { name: 'columns-sma', run: () => columnsOf(sma(20), close) },
    { name: 'columns-ema', run: () => columnsOf(ema(20), close) },
    { name: 'columns-rsi', run: () => columnsOf(rsi(14), close) },
    { name: 'columns-macd', run: () => columnsOf(macd(), close) },
    { name: 'columns-donchian', run: () => columnsOf(donchian(20), bars) },
    { name: 'columns-supertrend', run: () => columnsOf(supertrend(), bars) },
  ].map((each) => ({ ...each, rates: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const { run, rates } of measured) rates.push(close.length / (await timed(run)) / 1_000);
  return measured.map(({ name, rates }) => ({ name, value: median(rates), unit: 'M bars/s' }));
}
