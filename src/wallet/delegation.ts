import { z } from 'zod';
import { toSeconds, type EpochMs, type EpochSeconds } from '../core/brand.ts';
import type { SafetyError } from '../core/errors.ts';
import { sameAddress, type Address } from '../domain/instrument.ts';
import { unsigned } from './checkCalldata.ts';

/** Maximum validity of a signature, in seconds. */
export const DELEGATION_MAX_SECONDS = 600;

const DOMAIN_NAME = 'OneClickRouter';
const DOMAIN_VERSION = '1';
const ZERO = `0x${'0'.repeat(40)}`;

/** The struct to sign, as in EIP-712. */
export const DELEGATE_FIELDS = [
  { name: 'user', type: 'address' },
  { name: 'delegatee', type: 'address' },
  { name: 'nonce', type: 'uint64' },
  { name: 'deadline', type: 'uint32' },
] as const;
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'not an address')
  .transform((text) => text as Address);
const fields = z.array(z.strictObject({ name: z.string(), type: z.string() }));

/** Strict schema: data with unknown fields is not signed. */
const preparedShape = z.object({
  delegatee: address,
  nonce: z.int().min(0),
  deadline: z.int(),
  signPayload: z.strictObject({
    domain: z.strictObject({
      name: z.string(),
      version: z.string(),
      chainId: z.int(),
      verifyingContract: address,
    }),
    types: z.strictObject({ EIP712Domain: fields.optional(), Delegate: fields }),
    primaryType: z.string(),
    message: z.strictObject({ user: address, delegatee: address, nonce: z.int().min(0), deadline: z.int() }),
  }),
});

/** `by`: its source, for people. */
type KnownAddress = Readonly<{ address: Address; by: string }>;

/** Delegation that the wallet's owner intends to sign. */
export type DelegationTerms = Readonly<{
  /** The own wallet. */
  user: Address;
  chainId: number;
  /** The requested deadline. */
  deadline: EpochSeconds;
  now: EpochMs;
  /** The contract to sign for, if known beforehand. */
  verifyingContract?: KnownAddress;
  /** The proxy wallet to delegate to, if known beforehand. */
  delegatee?: KnownAddress;
}>;

/** Typed data (EIP-712) that has been checked, field by field. */
export type Delegation = Readonly<{
  domain: Readonly<{ name: string; version: string; chainId: number; verifyingContract: Address }>;
  message: Readonly<{ user: Address; delegatee: Address; nonce: bigint; deadline: EpochSeconds }>;
}>;

/**
 * Compares the response of `/1ct/prepare` with what the owner intends to sign. What is signed is built from the terms
 * and constants, never copied from the response.
 * @throws {SafetyError} naming every field that differs
 */
export function checkDelegation(answer: unknown, terms: DelegationTerms): Delegation {
  const parsed = preparedShape.safeParse(answer);
  if (!parsed.success)
    throw refusal(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  const { signPayload, ...prepared } = parsed.data;
  const { domain, message } = signPayload;
  const differences = comparisons(parsed.data, terms)
    .filter(([, asked, meant]) => !same(asked, meant))
    .map(([field, asked, meant, why]) => `${field} is ${show(asked)}, not ${show(meant)} (${why})`);
  const limit = toSeconds(terms.now) + DELEGATION_MAX_SECONDS;
  if (message.deadline > limit)
    differences.push(`message.deadline is more than ${DELEGATION_MAX_SECONDS / 60} minutes away`);
  if (message.deadline <= toSeconds(terms.now)) differences.push('message.deadline has passed');
  if (sameAddress(domain.verifyingContract, ZERO))
    differences.push('domain.verifyingContract is the zero address');
  if (sameAddress(prepared.delegatee, ZERO)) differences.push('delegatee is the zero address');
  if (differences.length > 0) throw refusal(differences);
  return {
    domain: {
      name: DOMAIN_NAME,
      version: DOMAIN_VERSION,
      chainId: terms.chainId,
      verifyingContract: domain.verifyingContract,
    },
    message: {
      user: terms.user,
      delegatee: prepared.delegatee,
      nonce: BigInt(prepared.nonce),
      deadline: terms.deadline,
    },
  };
}

function comparisons(
  { signPayload, ...prepared }: z.output<typeof preparedShape>,
  terms: DelegationTerms,
): (readonly [field: string, asked: unknown, meant: unknown, why: string])[] {
  const { domain, types, primaryType, message } = signPayload;
  const contract = terms.verifyingContract ?? { address: domain.verifyingContract, by: '' };
  const delegatee = terms.delegatee ?? { address: prepared.delegatee, by: '' };
  return [
    ['domain.name', domain.name, DOMAIN_NAME, 'the contract of One Click'],
    ['domain.version', domain.version, DOMAIN_VERSION, 'the version that is known'],
    ['domain.chainId', domain.chainId, terms.chainId, 'venue.chainId'],
    ['domain.verifyingContract', domain.verifyingContract, contract.address, contract.by],
    ['primaryType', primaryType, 'Delegate', 'a delegation'],
    ['types.EIP712Domain', types.EIP712Domain ?? DOMAIN_FIELDS, DOMAIN_FIELDS, 'its documented fields'],
    ['types.Delegate', types.Delegate, DELEGATE_FIELDS, 'its documented fields'],
    ['message.user', message.user, terms.user, 'venue.userAddress'],
    ['message.delegatee', message.delegatee, prepared.delegatee, 'the delegatee beside the message'],
    ['delegatee', prepared.delegatee, delegatee.address, delegatee.by],
    ['message.nonce', message.nonce, prepared.nonce, 'the nonce beside the message'],
    ['message.deadline', message.deadline, terms.deadline, 'the deadline that was asked for'],
    ['deadline', prepared.deadline, terms.deadline, 'the deadline that was asked for'],
  ];
}

/** True for equal values: addresses ignoring case, lists element by element, the rest exactly. */
function same(asked: unknown, meant: unknown): boolean {
  if (typeof asked === 'string' && typeof meant === 'string' && asked.startsWith('0x'))
    return sameAddress(asked, meant);
  return JSON.stringify(asked) === JSON.stringify(meant);
}

const show = (value: unknown): string =>
  Array.isArray(value) ? listOf(value as Field[]) : JSON.stringify(value);
type Field = Readonly<{ name: string; type: string }>;
const listOf = (list: readonly Field[]): string =>
  `(${list.map(({ name, type }) => `${type} ${name}`).join(', ')})`;

const refusal = (differences: readonly string[]): SafetyError =>
  unsigned(
    'the venue asks for a signature that is not a delegation by this wallet',
    differences,
    'the config is',
  );
