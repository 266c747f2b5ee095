import { SafetyError } from '../../core/errors.ts';
import { cashTokenSubject, stockSubject, type PinSubject } from '../../domain/account/pins.ts';
import { isTicker, type Address } from '../../domain/instrument.ts';
import { type Chain, requirePlaces } from '../../wallet/chain.ts';
import type { KnownPins } from '../environment/pins.ts';
import type { Plan } from './confirm.ts';
import { cashTokenName, type Pins } from '../../domain/account/pinBook.ts';

/** Token that a command moves. */
type MovedToken = Readonly<{ symbol: string; address: Address; isStock: boolean }>;

/** `pins`: those before the command; `stated`: with what the venue states now added. */
type CheckParts = Readonly<{
  pins: KnownPins;
  stated: Pins;
  chain: Pick<Chain, 'symbol' | 'decimals'> | null;
}>;

/**
 * Plan lines about a contract: the source of its pin and, from the node, its token's own name and decimals.
 * @throws {SafetyError} for a token with the name of another, unless the config names its contract
 * @throws {VenueRefusedError} for a cash token whose decimals differ from the venue's
 */
export async function checkContract(
  token: MovedToken,
  { pins, stated, chain }: CheckParts,
): Promise<Plan['facts']> {
  const { symbol, address, isStock } = token;
  const subject = subjectOf(token, stated);
  const source = sourceOf(subject, token, pins);
  const contract = ['contract', `${address} for ${symbol}, ${source ?? NEW}`] as const;
  if (!chain) return [contract];
  const decimals = stated.of(subject)?.['decimals'];
  if (decimals !== undefined && !isStock) await requirePlaces({ address, decimals: Number(decimals) }, chain);
  return [contract, ['token', await tokenText(token, source, chain)]];
}

const NEW = 'as the venue lists it: nothing has pinned it yet. Compare it with what the issuer publishes';
const BY_CONFIG = 'pinned by venue.contracts';

function subjectOf({ symbol, address, isStock }: MovedToken, pins: Pins): PinSubject {
  if (isStock && isTicker(symbol)) return stockSubject(symbol);
  return cashTokenSubject(cashTokenName(pins, address) ?? symbol);
}

/** Source of the pin of a contract, in words; null if nothing pins it. */
function sourceOf(
  subject: PinSubject,
  { symbol, isStock }: MovedToken,
  { contracts, pins, confirmed }: KnownPins,
): string | null {
  if (isStock && contracts.has(symbol)) return BY_CONFIG;
  if (pins.of(subject)) return 'pinned by the journal';
  const before = confirmed.get(subject);
  return before ? `pinned by ${before.by}` : null;
}

/** @throws {SafetyError} when the token's name is that of another */
async function tokenText(
  { symbol, address, isStock }: MovedToken,
  source: string | null,
  chain: Pick<Chain, 'symbol' | 'decimals'>,
): Promise<string> {
  const name = await chain.symbol(address);
  if (name === null) return 'states no name, according to the node';
  if (!isNameOf(name, symbol) && source !== BY_CONFIG)
    throw new SafetyError(
      `the venue lists ${address} for ${symbol}, and the token of that contract calls itself ${JSON.stringify(name)}, by the node. ` +
        `Nothing was signed or sent. If the issuer confirms the contract, ${isStock ? `name it in venue.contracts` : 'accept its terms'}`,
      { symbol, contract: address },
    );
  return `${JSON.stringify(name)} with ${await chain.decimals(address)} decimals, by the node`;
}

/** True for a token's name that contains the symbol's letters: issuers write AAPLx, mAAPL or AAPL.d for AAPL. */
const isNameOf = (name: string, symbol: string): boolean =>
  capitals(name) === capitals(symbol) || name.toUpperCase() === symbol.toUpperCase();

const capitals = (text: string): string => text.replace(/[^A-Z0-9]/g, '');
