import {
  cash,
  parseDecimal,
  price,
  roundTo,
  shares,
  stepOf,
  wadFromNumber,
  type Cash,
  type Price,
  type Shares,
} from '../core/amount.ts';
import { InvalidValueError } from '../core/errors.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { Side } from '../domain/venue.ts';
import { tickOf } from '../sim/matching.ts';
import type { Decimal } from '../strategy/contract.ts';
import { cutToStep } from './market.ts';

const CENT = stepOf(2);

/** @throws {InvalidValueError} naming what the amount is for */
function wadOf(value: Decimal, of: 'shares' | 'notional' | 'price', { symbol }: Instrument): bigint {
  const what = () => `${of} of ${symbol}`;
  try {
    const wad = typeof value === 'string' ? parseDecimal(value) : wadFromNumber(value);
    if (wad > 0n) return wad;
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(`${what()}: ${error.message}`, error.details);
  }
  throw new InvalidValueError(`${what()}: ${value} is not above zero`);
}

/** A string as it stands; a number cut to the instrument's step. */
export function toShares(value: Decimal, instrument: Instrument): Shares {
  const wad = wadOf(value, 'shares', instrument);
  return shares(typeof value === 'string' ? wad : cutToStep(wad, instrument));
}

/** A string as it stands; a number cut to the cent. */
export function toNotional(value: Decimal, instrument: Instrument): Cash {
  const wad = wadOf(value, 'notional', instrument);
  return cash(typeof value === 'string' ? wad : roundTo(wad, CENT, 'down'));
}

/** The decimal that it stands for. */
export const toPrice = (value: Decimal, instrument: Instrument): Price =>
  price(wadOf(value, 'price', instrument));

/** A string must be on the tick; a number is moved to it, a buy's down and a sell's up. */
export function toTickPrice(value: Decimal, side: Side, instrument: Instrument): Price {
  const wad = toPrice(value, instrument);
  const rounded = roundTo(wad, tickOf(price(wad)), side === 'buy' ? 'down' : 'up');
  if (typeof value === 'string' && rounded !== wad)
    throw new InvalidValueError(
      `price of ${instrument.symbol}: ${value} is not on the tick (0.01; 0.0001 below 1)`,
    );
  return price(rounded);
}
