import { Figures } from '../../parts/figures.tsx';
import { useReading } from '../../parts/reading.ts';
import type { DayEquity } from '../../../ops/model/past.ts';
import { dayFigure } from '../strategy/timeFigures.ts';
import type { ViewProps } from '../viewProps.ts';

/** Minimum time in ms between two reads of an equity, which changes with prices. */
export const EQUITY_MS = 5_000;

/** Equity of the account in this session. */
export function AccountEquity({ daemon }: Pick<ViewProps, 'daemon'>) {
  const { value } = useReading<DayEquity>(daemon, 'v1/day', { againMs: EQUITY_MS, isOfPrices: true });
  if (value === null || value.at.length < 2) return null;
  return (
    <section>
      <h2>Today</h2>
      <Figures figures={[dayFigure(value)]} id="day" />
    </section>
  );
}
