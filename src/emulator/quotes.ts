import { z } from 'zod';
import type { EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import type { World } from './world.ts';

/** Quotes and bars of a stock, or of all, stand still while orders go on; until they are let go. */
export const quotes = z.strictObject({ symbol: z.string().optional(), frozen: z.boolean() });

/** @throws {InvalidValueError} for a stock that is not listed */
export function freeze(world: World, { symbol, frozen }: z.output<typeof quotes>, now: EpochMs): void {
  const { listings } = world.market;
  const meant = symbol === undefined ? listings : [world.listings.get(symbol.toUpperCase())];
  for (const listing of meant) {
    if (!listing) throw new InvalidValueError(`${String(symbol)} is not listed`);
    if (frozen) world.state.frozen[listing.symbol] ??= now;
    else Reflect.deleteProperty(world.state.frozen, listing.symbol);
  }
}
