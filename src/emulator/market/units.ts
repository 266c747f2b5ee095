import { price, stepOf, type Price } from '../../core/amount.ts';

/** Prices inside this folder: whole numbers of 10⁻⁴ mUSD a share, held in a float64. */
export type Units = number;

const PLACES = 4;
const ONE = 10 ** PLACES;
/** Units of a cent, the tick from one mUSD on. */
const CENT = ONE / 100;
const STEP = stepOf(PLACES);

/** The nearest price on the tick, at least 0.0001. Never turns an order of prices round, so it may follow a maximum. */
export const onTick = (units: number): Units =>
  units < ONE ? Math.max(Math.round(units), 1) : Math.round(units / CENT) * CENT;

/** From mUSD. */
export const unitsOf = (price: number): Units => onTick(price * ONE);
export const priceOf = (units: Units): Price => price(BigInt(units) * STEP);
/** In mUSD: the float64 nearest to the decimal. */
export const numberOf = (units: Units): number => units / ONE;
