import { written } from '../../../figures/format.ts';
import type { RunView } from '../runView.ts';
import { placesAlong } from './places.ts';
import type { Segment } from '../../../figures/intraday.ts';

/** Most steps of stops that a chart draws: the latest. */
const STEPS_MAX = 2000;
const STYLE = 'stop loss';

/** Stops of one stock, as a chart draws and tells them. */
export type StopLines = Readonly<{
  segments: readonly Segment[];
  /** Their changes and ends, each with its time. */
  texts: readonly (readonly [at: number, text: string])[];
}>;

/** One price of a stop, from an instant on; null where it is over. */
type Step = Readonly<{ order: string; at: number; until: number; price: number | null }>;

/** A thin line at each price of a stop while it waited. */
export function stopsOf(
  view: RunView,
  { symbol, start }: Readonly<{ symbol: string; start: readonly number[] }>,
): StopLines {
  const placeAt = placesAlong(view, start);
  const drawn = stepsOf(view, symbol).slice(-STEPS_MAX);
  return {
    segments: drawn.flatMap(({ at, until, price }): Segment[] =>
      price === null ? [] : [[placeAt(at), price, placeAt(until), price, STYLE]],
    ),
    texts: drawn.map((step) => [step.at, textOf(step)] as const),
  };
}

const stepsOf = ({ record: { stops = [] }, marks }: RunView, symbol: string): Step[] =>
  stops
    .filter((stop) => stop.symbol === symbol)
    .flatMap(({ name: order, at, values }) =>
      at.map((from, index) => ({
        order,
        at: from,
        until: at[index + 1] ?? marks.at(-1)?.at ?? from,
        price: values[index] ?? null,
      })),
    )
    .sort((one, other) => one.at - other.at);

/** `stop at 95.00, order trail-3` */
const textOf = ({ order, price }: Step): string =>
  `${price === null ? 'no stop any more' : `stop at ${written(price, 'price')}`}, order ${order}`;
