import type { Address } from '../../domain/instrument.ts';
import { undelegated } from '../refusal.ts';
import type { Account } from '../state.ts';
import { accountOf } from '../world.ts';
import type { Context } from './route.ts';

/** The account of the wallet that the key is bound to. @throws {Refusal} when it is bound to none */
export function boundUser({ world, key }: Pick<Context, 'world' | 'key'>): Account {
  if (key.unbound) throw undelegated('userAddress is not bound to this key');
  return accountOf(world, key.userAddress);
}

/** Its wallet, or null. */
export const userOf = ({ key }: Pick<Context, 'key'>): Address | null =>
  key.unbound ? null : key.userAddress;
