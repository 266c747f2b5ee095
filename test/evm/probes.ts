import { encodeFunctionData, parseGwei, type Hex } from 'viem';
import { toSeconds, epochSeconds } from '../../src/core/brand.ts';
import { cashToken, contracts } from '../../src/emulator/state/constants.ts';
import { approvalCall } from '../../src/wallet/ownTransactions.ts';
import { encodeRouterCall, cancelCall } from '../../src/wallet/routerAbi.ts';
import { systemClock } from '../../src/core/clock.ts';
import { CHAIN_ID, quantity } from './anvil.ts';
import { tokenAbi } from './contracts.ts';
import type { Witnesses } from './witnesses.ts';

/** A request sent to both nodes. */
export type Probe = Readonly<{ name: string; method: string; params: readonly unknown[] }>;

const UNKNOWN_HASH: Hex = `0x${'99'.repeat(32)}`;
const NOWHERE = '0xffffff';

const probe = (name: string, method: string, ...params: readonly unknown[]): Probe => ({
  name,
  method,
  params,
});

const approval = approvalCall({
  chainId: CHAIN_ID,
  token: cashToken.address,
  spender: contracts.router,
  amount: 500_000_000n,
});

/** Requests of a program that has not sent anything yet. */
export function readProbes({ account: { address } }: Witnesses): Probe[] {
  const balance = encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [address] });
  const deadline = epochSeconds(toSeconds(systemClock.now()) + 90);
  const cancel = encodeRouterCall(cancelCall(UNKNOWN_HASH, { deadline }));
  const toToken = { from: address, to: cashToken.address };
  const toRouter = { from: address, to: contracts.router };
  return [
    probe('chain', 'eth_chainId'),
    probe('network', 'net_version'),
    probe('newest block number', 'eth_blockNumber'),
    probe('syncing', 'eth_syncing'),
    probe('gas price', 'eth_gasPrice'),
    probe('tip', 'eth_maxPriorityFeePerGas'),
    probe('fee history', 'eth_feeHistory', '0x2', 'latest', [50]),
    probe('newest block', 'eth_getBlockByNumber', 'latest', false),
    probe('safe block', 'eth_getBlockByNumber', 'safe', false),
    probe('finalized block', 'eth_getBlockByNumber', 'finalized', false),
    probe('block to come', 'eth_getBlockByNumber', NOWHERE, false),
    probe('unknown block', 'eth_getBlockByHash', UNKNOWN_HASH, false),
    probe('count of mined', 'eth_getTransactionCount', address, 'latest'),
    probe('count with waiting', 'eth_getTransactionCount', address, 'pending'),
    probe('balance', 'eth_getBalance', address, 'latest'),
    probe('balance of a block to come', 'eth_getBalance', address, NOWHERE),
    probe('code of a contract', 'eth_getCode', contracts.router, 'latest'),
    probe('code of a wallet', 'eth_getCode', address, 'latest'),
    probe('call of decimals', 'eth_call', { to: cashToken.address, data: '0x313ce567' }, 'latest'),
    probe('call of balanceOf', 'eth_call', { to: cashToken.address, data: balance }, 'latest'),
    probe('call of no function', 'eth_call', { ...toRouter, data: '0x12345678' }, 'latest'),
    probe('call of a block to come', 'eth_call', { to: cashToken.address, data: balance }, NOWHERE),
    probe('call that reverts', 'eth_call', { ...toRouter, data: cancel }, 'latest'),
    probe('estimate', 'eth_estimateGas', { ...toToken, data: approval.data }),
    probe('estimate that reverts', 'eth_estimateGas', { ...toRouter, data: cancel }),
    probe('unknown transaction', 'eth_getTransactionByHash', UNKNOWN_HASH),
    probe('unknown receipt', 'eth_getTransactionReceipt', UNKNOWN_HASH),
    probe('logs of nobody', 'eth_getLogs', { address, fromBlock: 'latest', toBlock: 'latest' }),
    probe('no method', 'eth_none'),
    probe('address cut short', 'eth_getBalance', '0x12', 'latest'),
    probe('no parameters', 'eth_getTransactionReceipt'),
    probe('bytes that are none', 'eth_sendRawTransaction', '0xzz'),
    probe('bytes that say nothing', 'eth_sendRawTransaction', '0x02c0'),
  ];
}

type Fields = Readonly<{
  nonce?: number;
  chainId?: number;
  gas?: bigint;
  value?: bigint;
  amount?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
}>;

/** The signed bytes of an approval. */
export const signedApproval = ({ account }: Witnesses, { amount, ...fields }: Fields = {}): Promise<Hex> =>
  account.signTransaction({
    type: 'eip1559',
    chainId: CHAIN_ID,
    nonce: 0,
    to: approval.to,
    data: amount === undefined ? approval.data : approvalCall({ ...approvalTerms, amount }).data,
    gas: 80_000n,
    maxFeePerGas: parseGwei('110'),
    maxPriorityFeePerGas: parseGwei('2'),
    ...fields,
  });

const approvalTerms = { chainId: CHAIN_ID, token: cashToken.address, spender: contracts.router };

const send = async (name: string, raw: Promise<Hex>): Promise<Probe> =>
  probe(name, 'eth_sendRawTransaction', await raw);

/** Bytes that every node refuses, before any have been accepted. */
export const refusedProbes = (on: Witnesses): Promise<Probe[]> =>
  Promise.all([
    send('another chain', signedApproval(on, { chainId: 1 })),
    send('too little gas to begin', signedApproval(on, { gas: 21_000n, nonce: 50 })),
    send('more gas than a block', signedApproval(on, { gas: 900_000_000n })),
    send('a fee below the base fee', signedApproval(on, { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n })),
    send('more than the wallet has', signedApproval(on, { value: 10n ** 24n })),
  ]);

/** Requests while the approval is pending. */
export async function waitingProbes(on: Witnesses, txHash: Hex): Promise<Probe[]> {
  const { address } = on.account;
  return [
    await send('the same bytes', signedApproval(on)),
    await send('another in its place', signedApproval(on, { amount: 1n })),
    probe('transaction that waits', 'eth_getTransactionByHash', txHash),
    probe('receipt of one that waits', 'eth_getTransactionReceipt', txHash),
    probe('count with one waiting', 'eth_getTransactionCount', address, 'pending'),
  ];
}

/** Requests once the approval is mined. */
export async function minedProbes(on: Witnesses, txHash: Hex): Promise<Probe[]> {
  const logs = { address: cashToken.address, fromBlock: quantity(1), toBlock: 'latest' };
  return [
    await send('the same bytes again', signedApproval(on)),
    await send('a nonce that is used', signedApproval(on, { amount: 1n })),
    probe('mined transaction', 'eth_getTransactionByHash', txHash),
    probe('receipt', 'eth_getTransactionReceipt', txHash),
    probe('logs', 'eth_getLogs', logs),
  ];
}
