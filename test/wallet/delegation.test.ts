import { recoverTypedDataAddress } from 'viem';
import { expect, test } from 'vitest';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import { SafetyError } from '../../src/core/errors.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { checkDelegation, DELEGATE_FIELDS, type DelegationTerms } from '../../src/wallet/delegation.ts';

const KEY = `0x${'11'.repeat(32)}`;
const wallet = walletOf(KEY);
const delegatee = `0x${'22'.repeat(20)}` as const;
const contract = `0x${'33'.repeat(20)}` as const;
const stranger = `0x${'44'.repeat(20)}` as const;
const now = epochMs(1_781_530_000_000);
const deadline = epochSeconds(1_781_530_300);

const terms: DelegationTerms = {
  user: wallet.address,
  chainId: 143,
  deadline,
  now,
  verifyingContract: { address: contract, by: 'venue.oneClickRouter' },
};

const answer = () => ({
  delegatee: delegatee as string,
  nonce: 7,
  deadline: deadline as number,
  signPayload: {
    domain: {
      name: 'OneClickRouter',
      version: '1',
      chainId: 143 as unknown,
      verifyingContract: contract as string,
    },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Delegate: DELEGATE_FIELDS.map((field): { name: string; type: string } => ({ ...field })),
    },
    primaryType: 'Delegate',
    message: {
      user: wallet.address as string,
      delegatee: delegatee as string,
      nonce: 7,
      deadline: deadline as number,
    },
  },
});
type Answer = ReturnType<typeof answer>;

test('a checked delegation is signed, and its signature recovers to the wallet', async () => {
  const { domain, message } = checkDelegation(answer(), terms);
  const signature = await wallet.signDelegation({ domain, message });
  const typed = { domain, types: { Delegate: DELEGATE_FIELDS }, primaryType: 'Delegate', message } as const;
  expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(wallet.address);
});

test('typed data of a delegation may leave out the EIP712Domain type', () => {
  const { signPayload, ...prepared } = answer();
  const { EIP712Domain: _, ...types } = signPayload.types;
  const shorter = { ...prepared, signPayload: { ...signPayload, types } };
  expect(checkDelegation(shorter, terms)).toEqual(checkDelegation(answer(), terms));
});

test('addresses of a delegation are compared regardless of case', () => {
  const lower = answer();
  lower.signPayload.message.user = wallet.address.toLowerCase();
  expect(checkDelegation(lower, terms).message.user).toBe(wallet.address);
});

const tampered: Record<string, [change: (answer: Answer) => void, told: string]> = {
  'another contract': [
    ({ signPayload }) => (signPayload.domain.verifyingContract = stranger),
    `domain.verifyingContract is "${stranger}", not "${contract}" (venue.oneClickRouter)`,
  ],
  'no contract at all': [
    ({ signPayload }) => (signPayload.domain.verifyingContract = 'router'),
    'signPayload.domain.verifyingContract: not an address',
  ],
  'another name': [
    ({ signPayload }) => (signPayload.domain.name = 'Permit2'),
    'domain.name is "Permit2", not "OneClickRouter"',
  ],
  'another version': [
    ({ signPayload }) => (signPayload.domain.version = '2'),
    'domain.version is "2", not "1"',
  ],
  'another chain': [
    ({ signPayload }) => (signPayload.domain.chainId = 1),
    'domain.chainId is 1, not 143 (venue.chainId)',
  ],
  'a chain as text': [
    ({ signPayload }) => (signPayload.domain.chainId = '143'),
    'signPayload.domain.chainId: ',
  ],
  'a salt in the domain': [
    ({ signPayload }) => Object.assign(signPayload.domain, { salt: '0x00' }),
    'signPayload.domain: Unrecognized key: "salt"',
  ],
  'another primary type': [
    ({ signPayload }) => (signPayload.primaryType = 'Permit'),
    'primaryType is "Permit", not "Delegate"',
  ],
  'a further type': [
    ({ signPayload }) => Object.assign(signPayload.types, { Permit: [{ name: 'owner', type: 'address' }] }),
    'signPayload.types: Unrecognized key: "Permit"',
  ],
  'a further field of the struct': [
    ({ signPayload }) => signPayload.types.Delegate.push({ name: 'amount', type: 'uint256' }),
    'types.Delegate is (address user, address delegatee, uint64 nonce, uint32 deadline, uint256 amount), not ',
  ],
  'fields in another order': [
    ({ signPayload }) => signPayload.types.Delegate.reverse(),
    'types.Delegate is ',
  ],
  'another type of a field': [
    ({ signPayload }) => (signPayload.types.Delegate[3] = { name: 'deadline', type: 'uint256' }),
    'types.Delegate is ',
  ],
  'another domain struct': [
    ({ signPayload }) => signPayload.types.EIP712Domain.pop(),
    'types.EIP712Domain is ',
  ],
  'another user': [
    ({ signPayload }) => (signPayload.message.user = stranger),
    `message.user is "${stranger}", not "${wallet.address}" (venue.userAddress)`,
  ],
  'a delegatee in the message that is not the one beside it': [
    ({ signPayload }) => (signPayload.message.delegatee = stranger),
    `message.delegatee is "${stranger}", not "${delegatee}"`,
  ],
  'no delegatee': [
    (changed) => {
      changed.delegatee = `0x${'0'.repeat(40)}`;
      changed.signPayload.message.delegatee = changed.delegatee;
    },
    'delegatee is the zero address',
  ],
  'another nonce': [({ signPayload }) => (signPayload.message.nonce = 8), 'message.nonce is 8, not 7'],
  'another deadline in the message': [
    ({ signPayload }) => (signPayload.message.deadline = 4_294_967_295),
    'message.deadline is 4294967295, not 1781530300 (the deadline that was asked for)',
  ],
  'another deadline beside it': [
    (changed) => (changed.deadline = 4_294_967_295),
    '\n  deadline is 4294967295, not 1781530300',
  ],
  'a further field of the message': [
    ({ signPayload }) => Object.assign(signPayload.message, { amount: '1' }),
    'signPayload.message: Unrecognized key: "amount"',
  ],
};

test.each(Object.entries(tampered))(
  'a delegation with %s is refused, naming the difference',
  (_name, [change, told]) => {
    const changed = answer();
    change(changed);
    expect(() => checkDelegation(changed, terms)).toThrow(SafetyError);
    expect(() => checkDelegation(changed, terms)).toThrow(told);
  },
);

test('a refused delegation names every difference at once', () => {
  const changed = answer();
  changed.signPayload.message.user = stranger;
  changed.signPayload.domain.chainId = 1;
  expect(() => checkDelegation(changed, terms)).toThrow(/domain\.chainId[^]*message\.user/);
});

test('a delegation to another delegatee than the expected one is refused', () => {
  expect(() =>
    checkDelegation(answer(), { ...terms, delegatee: { address: stranger, by: '--delegatee' } }),
  ).toThrow(`delegatee is "${delegatee}", not "${stranger}" (--delegatee)`);
});

test('a delegation deadline more than 10 minutes away is refused even when requested', () => {
  const far = epochSeconds(1_781_530_601);
  const changed = answer();
  changed.deadline = changed.signPayload.message.deadline = far;
  expect(() => checkDelegation(changed, { ...terms, deadline: far })).toThrow('more than 10 minutes away');
});

test.each(['', 'abc', `0x${'0'.repeat(64)}`, 'f'.repeat(64), `${'1'.repeat(63)}g`])(
  'text that is no private key is refused without being repeated (%#)',
  (text) => {
    expect(() => walletOf(text)).toThrow(
      'the wallet key must be 64 hex digits, with or without 0x before them',
    );
  },
);
