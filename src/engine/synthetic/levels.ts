import { price as asPrice, roundTo, WAD, wadFromNumber, type Price } from '../../core/amount.ts';
import type { Distance, ExitLevel } from '../../domain/orders/syntheticOrder.ts';
import { tickOf } from '../../domain/instrument.ts';

const HUNDRED = 100n * WAD;

/** Price on the tick, never lower: exits are sells. */
const onTick = (wad: bigint): Price => asPrice(roundTo(wad, tickOf(asPrice(wad)), 'up'));

/** Price at a distance below another. */
export const belowBy = (price: Price, by: Distance): Price =>
  'amount' in by
    ? onTick(price - by.amount)
    : onTick((price * (HUNDRED - wadFromNumber(by.percent))) / HUNDRED);

/** Take-profit price of a position bought at an average price. */
export const aboveAverage = (average: Price, level: ExitLevel): Price =>
  'price' in level ? level.price : onTick((average * (HUNDRED + wadFromNumber(level.percent))) / HUNDRED);

/** Stop price of a position bought at an average price. */
export const belowAverage = (average: Price, level: ExitLevel): Price =>
  'price' in level ? level.price : belowBy(average, level);
