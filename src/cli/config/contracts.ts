import { ticker, type Address, type Ticker } from '../../domain/instrument.ts';
import type { RunConfig } from './schema.ts';

/** The contracts that the config pins, by symbol. */
export const contractsOf = ({ venue }: Pick<RunConfig, 'venue'>): ReadonlyMap<Ticker, Address> =>
  new Map(Object.entries(venue?.contracts ?? {}).map(([symbol, contract]) => [ticker(symbol), contract]));
