import { encodeFunctionData, parseAbi } from 'viem/utils';
import { expect, test } from 'vitest';
import type { Address } from '../../src/domain/instrument.ts';
import { checkCalldata } from '../../src/wallet/checkCalldata.ts';
import { routerAbi, routerCodec, standardCodec, type RouterCall } from '../../src/wallet/routerAbi.ts';

const router: Address = `0x${'ab'.repeat(20)}`;
const VALUES: Readonly<Record<string, unknown>> = {
  address: `0x${'11'.repeat(20)}`,
  bytes32: `0x${'33'.repeat(32)}`,
  int96: -15n * 10n ** 17n,
  uint96: 250n * 10n ** 18n,
  uint256: 7n,
  uint32: 1_781_530_300,
  uint8: 0,
};

/** A call of each function, and its form on another router: another name, with the arguments reversed. */
const CASES = routerAbi.map(({ name, inputs }) => {
  const args = inputs.map((input) => [input.name, VALUES[input.type]] as const);
  const turned = [...inputs].reverse();
  const signature = `${name}ByThem(${turned.map((input) => `${input.type} ${input.name}`).join(', ')})`;
  const callData = encodeFunctionData({
    abi: parseAbi([`function ${signature}`] as readonly string[]),
    functionName: `${name}ByThem`,
    args: turned.map(({ type }) => VALUES[type]),
  });
  return { name, call: { kind: name, ...Object.fromEntries(args) } as RouterCall, signature, callData };
});

test.each(CASES)(
  '$name: calldata of a router with another signature passes when that signature is configured',
  (one) => {
    const { name, call, signature, callData } = one;
    const codec = routerCodec({ [name]: signature });
    const answer = { chainId: 143, toAddress: router, value: '0', callData, method: `${name}ByThem` };
    const checked = checkCalldata(answer, { chainId: 143, router, call, codec });
    expect(checked).toEqual({ chainId: 143, to: router, data: callData, kind: name });
    expect(codec.decode(callData)).toEqual(call);
    expect(() => checkCalldata(answer, { chainId: 143, router, call })).toThrow(/nothing was signed/);
  },
);

test('calldata with another amount is refused under a configured signature', () => {
  const codec = routerCodec({ depositStock: 'addStock(uint256 amount, address token)' });
  const token: Address = `0x${'11'.repeat(20)}`;
  const call = { kind: 'depositStock', token, amount: 7n } as const;
  const callData = codec.encode({ ...call, amount: 8n });
  const answer = { chainId: 143, toAddress: router, value: '0', callData, method: 'addStock' };
  expect(() => checkCalldata(answer, { chainId: 143, router, call, codec })).toThrow(
    /callData amount is 8, not 7/,
  );
});

test('a function with a configured signature is not decoded by its standard one', () => {
  const codec = routerCodec({ depositStock: 'addStock(address token, uint256 amount)' });
  const call = { kind: 'depositStock', token: `0x${'11'.repeat(20)}`, amount: 7n } as const;
  expect(codec.decode(standardCodec.encode(call))).toBeNull();
  expect(standardCodec.decode(standardCodec.encode(call))).toEqual(call);
});

test('arguments of other widths decode to the same call', () => {
  const codec = routerCodec({
    cancelLimitOrder: 'cancelOrder(uint64 deadline, bytes32 orderId)',
    deposit: 'deposit(address token, uint32 amount)',
  });
  const cancel = {
    kind: 'cancelLimitOrder',
    orderId: `0x${'33'.repeat(32)}`,
    deadline: 1_781_530_300,
  } as const;
  const deposit = { kind: 'deposit', token: `0x${'11'.repeat(20)}`, amount: 5_000_000n } as const;
  expect(codec.decode(codec.encode(cancel))).toEqual(cancel);
  expect(codec.decode(codec.encode(deposit))).toEqual(deposit);
});
