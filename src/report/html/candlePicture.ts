import type { SessionFills } from './candleFills.ts';
import { percentAlong, percentDown } from './figure.ts';
import { written } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { blocks } from './paths.ts';
import { HEIGHT, linearScale, rangeOf, type Scale } from './scale.ts';

/** One candle, at the place of its first session among those of the run. */
export type Candle = Readonly<{
  at: number;
  /** How many are in it. */
  sessions: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}>;

const BODY = 0.64;

export const middleOf = ({ at, sessions }: Candle): number => at + sessions / 2;

/** Wicks and bodies: those that rose, and those that fell. */
export function bodies(list: readonly Candle[], scale: Scale): Markup {
  const isUp = ({ open, close }: Candle) => close >= open;
  const of = (some: readonly Candle[], style: string) => {
    const wicks = some.map(
      (candle) =>
        `M${middleOf(candle)} ${Math.round(scale.place(candle.high) * 10) / 10}V${Math.round(scale.place(candle.low) * 10) / 10}`,
    );
    const parts = some.map((candle) => {
      const half = (candle.sessions * BODY) / 2;
      const [low, high] = [Math.min(candle.open, candle.close), Math.max(candle.open, candle.close)];
      return { from: middleOf(candle) - half, to: middleOf(candle) + half, low, high };
    });
    return some.length === 0
      ? markup``
      : markup`<path class="wick ${style}" d="${wicks.join('')}"/>${blocks(parts, scale, `${style} solid`)}`;
  };
  return join([
    of(list.filter(isUp), 'gain'),
    of(
      list.filter((candle) => !isUp(candle)),
      'loss',
    ),
  ]);
}

/** Where shares were bought, from below, and sold, from above. */
export function pins(
  fills: readonly SessionFills[],
  list: readonly Candle[],
  { scale, span }: Readonly<{ scale: Scale; span: number }>,
): Markup {
  return markup`<g class="pins">${fills.map(({ place, side, price }) => {
    const candle = list[place];
    if (!candle) return null;
    const [at, down] = [middleOf(candle), scale.place(price)];
    return markup`<use href="#pin-${side}" class="${side}" x="${percentAlong(at, span)}" y="${percentDown(down)}" data-at="${at}" data-down="${Math.round(down * 10) / 10}"/>`;
  })}</g>`;
}

/** What was traded, below the candles. */
export function volumePlot(list: readonly Candle[], span: number, id: string): Markup {
  const scale = linearScale(rangeOf(list.map(({ volume }) => volume)), { zero: true, count: 1 });
  const bars = list.map((candle) => {
    const half = (candle.sessions * BODY) / 2;
    return { from: middleOf(candle) - half, to: middleOf(candle) + half, low: 0, high: candle.volume };
  });
  return markup`<p class="unit">volume, shares</p><div class="plot volume" aria-hidden="true"><svg class="frame"><line class="zero" x2="100%" y1="100%" y2="100%"/><text class="up" x="-8" y="0" dy=".7em">${written(scale.high, 'volume')}</text><svg class="area" data-follow="${id}" viewBox="0 0 ${span} ${HEIGHT}" preserveAspectRatio="none">${blocks(bars, scale, 'quiet')}</svg></svg></div>`;
}
