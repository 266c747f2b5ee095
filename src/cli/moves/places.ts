import { VenueRefusedError } from '../../core/errors.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { CashToken } from '../../wallet/routerCall.ts';

/**
 * How many places a token has is asked of the token: by a wrong number the wallet signs ten times what was meant.
 * @throws {VenueRefusedError} when the venue says another number than the chain
 */
export async function requirePlaces(
  { address, decimals }: CashToken,
  chain: Pick<Chain, 'decimals'>,
): Promise<void> {
  const actual = await chain.decimals(address);
  if (actual !== decimals)
    throw new VenueRefusedError(
      `the venue says that ${address} has ${decimals} places, and the token itself says ${actual}: nothing was sent`,
      { token: address },
    );
}
