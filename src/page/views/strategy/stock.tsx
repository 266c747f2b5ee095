import type { PlotAnswer, QuoteCandles } from '../../../ops/model/past.ts';
import { useMemo } from 'preact/hooks';
import type { StrategyView, Status } from '../../../ops/model/status.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import type { Connection } from '../../connection/connection.ts';
import { Figures } from '../../parts/figures.tsx';
import { Filters } from '../../parts/filters.tsx';
import { useReading } from '../../parts/reading.ts';
import { Problem } from '../../parts/words.tsx';
import type { Place } from '../../place.ts';
import {
  candlesGrowth,
  candlesPath,
  LENGTHS,
  lengthOf,
  plotsGrowth,
  plotsPath,
  USUAL_LENGTH,
  type Length,
} from './stockReading.ts';
import { candleFigure, panelFigures, type Level } from './timeFigures.ts';

/** Minimum time in ms between two reads of prices. */
const PRICES_MS = 5_000;

type StocksProps = Readonly<{
  daemon: Connection;
  status: Status;
  strategy: StrategyView;
  place: Place;
  record: RunRecord | null;
}>;

/** One stock of a strategy, selected by the URL: its candles, whose length can be selected too. */
export function Stocks({ place, ...props }: StocksProps) {
  const { strategy, record } = props;
  const held = strategy.positions.map(({ symbol }) => symbol);
  const symbols = [...new Set([...held, ...(record?.run.symbols ?? [])])].sort();
  const symbol = chosenOf(symbols, place.query.get('symbol'));
  const length = lengthOf(place.query.get('candles'));
  if (symbol === null) return null;
  return (
    <>
      <Filters
        place={place}
        name="Stock"
        kept={['text']}
        fields={[
          { name: 'symbol', title: 'Symbol', choices: symbols, needed: symbol },
          { name: 'candles', title: 'Candles', choices: LENGTHS, needed: USUAL_LENGTH },
        ]}
      />
      <Stock key={`${symbol} ${length}`} {...props} symbol={symbol} length={length} />
    </>
  );
}

/** Stock whose candles are shown: the requested one, otherwise the first. */
const chosenOf = (symbols: readonly string[], asked: string | undefined): string | null =>
  symbols.find((symbol) => symbol === asked) ?? symbols[0] ?? null;

type StockProps = Omit<StocksProps, 'place'> & Readonly<{ symbol: string; length: Length }>;

/** Candles of one stock with the strategy's trades and plots. */
function Stock({ daemon, status, strategy, symbol, length, record }: StockProps) {
  const { id } = strategy;
  const chosen = useMemo(
    () => ({ strategy: id, symbol, length, now: Date.parse(status.now) }),
    [id, symbol, length],
  );
  const reads = { againMs: PRICES_MS, isOfPrices: true };
  const { value, problem } = useReading<QuoteCandles>(daemon, candlesPath(chosen), {
    ...reads,
    growth: candlesGrowth(chosen),
  });
  const plots = useReading<PlotAnswer>(daemon, plotsPath(chosen), { ...reads, growth: plotsGrowth(chosen) });
  const isOwn = (of: Readonly<{ symbol: string; strategy: string }>) =>
    of.symbol === symbol && of.strategy === id;
  const levels = status.heldOrders.filter(isOwn).flatMap(levelsOf);
  const figures = useMemo(() => {
    if (value === null || value.start.length === 0) return null;
    const series = plots.value?.series ?? [];
    const fills = record?.fills.filter(isOwn) ?? [];
    const limits = record?.limitOrders?.filter(isOwn) ?? [];
    return [candleFigure({ candles: value, fills, limits, levels, series }), ...panelFigures(value, series)];
  }, [value, plots.value, record, JSON.stringify(levels)]);
  if (figures === null) return <Problem text={problem} />;
  return <Figures figures={figures} id={`candles-${symbol}`} />;
}

const levelsOf = ({ stop, takeProfit, secondTakeProfit }: Status['heldOrders'][number]): Level[] =>
  [stop, takeProfit, secondTakeProfit].flatMap((text) =>
    text === null ? [] : [{ price: Number(text), style: 'limit s4 dashed' }],
  );
