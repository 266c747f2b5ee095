/**
 * Exact decimals as bigints in units of 10⁻¹⁸, written for the model alone: it must not share a rounding with the emulator.
 */
export const WAD = 10n ** 18n;
const BPS = 10_000n;
const PLAIN = /^(\d+)(?:\.(\d+))?$/;

/** Reads a plain non-negative decimal; undefined for anything else. Digits beyond the eighteenth are cut. */
export const wadOf = (text: string): bigint | undefined => {
  const match = PLAIN.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole) * WAD + BigInt(fraction.slice(0, 18).padEnd(18, '0'));
};

/** Reads a decimal reported by the venue; a malformed one counts as a difference. */
export const reportedWad = (text: string): bigint => {
  const wad = wadOf(text);
  if (wad === undefined)
    throw new Error(`the venue reported the amount "${text}", which is no plain decimal`);
  return wad;
};

/** Counts the digits after the point. */
export const placesOf = (text: string): number => PLAIN.exec(text)?.[2]?.length ?? 0;

export const textOf = (wad: bigint): string => {
  const digits = (wad < 0n ? -wad : wad).toString().padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return `${wad < 0n ? '-' : ''}${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`}`;
};

const roundedUp = (numerator: bigint, denominator: bigint) =>
  numerator === 0n ? 0n : (numerator - 1n) / denominator + 1n;

/** Multiplies quantity and price. The specification is silent on rounding: {@link near} forgives the last digit. */
export const valueOf = (quantity: bigint, price: bigint): bigint => roundedUp(quantity * price, WAD);

export const bpsOf = (value: bigint, bps: bigint): bigint => roundedUp(value * bps, BPS);

/** Compares two amounts of one settlement, each of which may have been rounded a few times, in either direction. */
export const near = (a: bigint, b: bigint): boolean => {
  const gap = a > b ? a - b : b - a;
  return gap <= 4n;
};
