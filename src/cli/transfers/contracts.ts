import { SafetyError } from '../../core/errors.ts';
import { cashTokenSubject, stockSubject, type PinSubject } from '../../domain/account/pins.ts';
import { isTicker, sameAddress, type Address } from '../../domain/instrument.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { LoadedConfig } from '../config/load.ts';
import { keepContracts, knownPins, type KnownPins } from '../environment/pins.ts';
import type { Plan } from './confirm.ts';
import { cashTokenName } from '../../domain/account/pinBook.ts';

/** Token of a move by hand. `wanted`: how the command line names it, where it does. */
export type MovedToken = Readonly<{ symbol: string; address: Address; isStock: boolean; wanted?: string }>;

/** Lines of a plan about its contracts. `keep` pins those that nothing pins yet, once the plan has been agreed to. */
export type ContractCheck = Readonly<{ facts: Plan['facts']; keep: () => void }>;

type CheckParts = Readonly<{ loaded: LoadedConfig; chain: Pick<Chain, 'symbol' | 'decimals'> | null }>;

/**
 * Shows the contracts of a move with their pins and, by the node, the name and decimals that each token states itself. That they are
 * those of the pins was checked when the tokens were found.
 * @throws {SafetyError} for a token that states the name of another, unless the config or the command line names its contract
 */
export async function checkContracts(
  tokens: readonly MovedToken[],
  { loaded, chain }: CheckParts,
): Promise<ContractCheck> {
  const pinned = knownPins(loaded);
  const facts: (readonly [string, string])[] = [];
  const fresh = new Map<PinSubject, Address>();
  for (const token of tokens) {
    const { symbol, address } = token;
    const subject = subjectOf(token, pinned);
    const source = sourceOf(subject, token, pinned);
    if (source === null) fresh.set(subject, address);
    facts.push(['contract', `${address} for ${symbol}, ${source ?? NEW}`]);
    if (chain) facts.push(['token', await tokenText(token, source, chain)]);
  }
  return { facts, keep: () => fresh.size > 0 && keepContracts(loaded, fresh) };
}

const NEW = 'as the venue lists it: nothing has pinned it yet. Compare it with what the issuer publishes';
const BY_CONFIG = 'pinned by venue.contracts';
const BY_ADDRESS = 'as you have named it';

function subjectOf({ symbol, address, isStock }: MovedToken, { pins }: KnownPins): PinSubject {
  if (isStock && isTicker(symbol)) return stockSubject(symbol);
  return cashTokenSubject(cashTokenName(pins, address) ?? symbol);
}

/** Source of the pin of a contract, in words; null where nothing pins it. */
function sourceOf(
  subject: PinSubject,
  { symbol, address, isStock, wanted = '' }: MovedToken,
  { contracts, pins, confirmed }: KnownPins,
): string | null {
  if (isStock && contracts.has(symbol)) return BY_CONFIG;
  if (sameAddress(wanted, address)) return BY_ADDRESS;
  if (pins.of(subject)) return 'pinned by the journal';
  const before = confirmed.get(subject);
  return before ? `pinned by ${before.by}` : null;
}

/** @throws {SafetyError} for the name of another token */
async function tokenText(
  { symbol, address, isStock }: MovedToken,
  source: string | null,
  chain: Pick<Chain, 'symbol' | 'decimals'>,
): Promise<string> {
  const name = await chain.symbol(address);
  if (name === null) return 'states no name of its own, by the node';
  if (!isNameOf(name, symbol) && source !== BY_CONFIG && source !== BY_ADDRESS)
    throw new SafetyError(
      `the venue lists ${address} for ${symbol}, and the token of that contract calls itself ${JSON.stringify(name)}, by the node. ` +
        `Nothing was signed or sent. If the issuer confirms the contract, ${isStock ? `name it in venue.contracts` : 'name it by --token'}`,
      { symbol, contract: address },
    );
  return `${JSON.stringify(name)} with ${await chain.decimals(address)} decimals, by the node`;
}

/** True for a token's name with the letters of the symbol: issuers write AAPLx, mAAPL or AAPL.d for AAPL. */
const isNameOf = (name: string, symbol: string): boolean =>
  capitals(name) === capitals(symbol) || name.toUpperCase() === symbol.toUpperCase();

const capitals = (text: string): string => text.replace(/[^A-Z0-9]/g, '');
