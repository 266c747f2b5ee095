import { encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { toIso } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { Address } from '../../src/domain/instrument.ts';
import { BASE_FEE } from '../../src/emulator/chain/gas.ts';
import { cashToken, contracts } from '../../src/emulator/state/constants.ts';
import { parseCommand } from '../../src/emulator/machine/commands.ts';
import { openMachine, openRpcFront } from '../../src/emulator/index.ts';
import { START } from '../emulator/harness.ts';
import { quantity, startAnvil, type Anvil } from './anvil.ts';
import { routerBytecode, tokenAbi, tokenBytecode } from './contracts.ts';

/** Response of a node: a result, or an error with its code and message. */
export type NodeAnswer = Readonly<{
  result?: unknown;
  error?: Readonly<{ code: number; message: string; data?: unknown }>;
}>;

/** A node whose responses are compared. */
export type Witness = Readonly<{
  answer(method: string, params: readonly unknown[]): Promise<NodeAnswer>;
  /** Mines pending transactions. */
  mine(): Promise<unknown>;
}>;

/** The same contracts, cash and money for the same wallet on nodes of both kinds. */
export type Witnesses = Readonly<{
  emulator: Witness;
  anvil: Witness;
  account: ReturnType<typeof privateKeyToAccount>;
}>;

const NATIVE = 100n * 10n ** 18n;
const CASH = 50_000_000_000n;
/** Blocks that anvil has mined once its contracts exist. */
const BLOCKS = 3;
/** Milliseconds in which the emulator mines any pending transaction. */
const MINING_MS = 10_000;

/** Opens the emulator's node, with anvil's face, and anvil, with the same wallet on the same contracts, at one base fee. */
export async function openWitnesses(): Promise<Witnesses> {
  const kept = openMachine({ start: toIso(START) });
  const { machine } = kept;
  machine.command(parseCommand('faults', { node: { client: 'anvil' } }), machine.state.now);
  const clock = new VirtualClock({ start: kept.machine.state.now });
  await clock.advanceBy(BLOCKS * 1_000);
  const front = openRpcFront(kept, { clock, latency: { minMs: 0, maxMs: 0 } });
  const account = privateKeyToAccount(kept.machine.state.accounts[3]?.privateKey ?? '0x');
  const node = await startAnvil();
  await prepare(node, account.address);
  return {
    account,
    emulator: {
      answer: async (method, params) =>
        JSON.parse((await front(callOf(method, params)))?.body ?? '{}') as NodeAnswer,
      mine: () => clock.advanceBy(MINING_MS),
    },
    anvil: {
      async answer(method, params) {
        const headers = { 'content-type': 'application/json' };
        const body = callOf(method, params);
        return (await (await fetch(node.url, { method: 'POST', headers, body })).json()) as NodeAnswer;
      },
      mine: () => node.mine(),
    },
  };
}

const callOf = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Places the contracts at the emulator's addresses, and gives the wallet the same balances. */
async function prepare(node: Anvil, wallet: Address): Promise<void> {
  const [from] = await node.ask<readonly Address[]>('eth_accounts');
  const install = async (bytecode: Hex, at: Address) => {
    const hash = await node.ask<Hex>('eth_sendTransaction', { from, data: bytecode });
    await node.mine();
    const { contractAddress } = await node.ask<{ contractAddress: Address }>(
      'eth_getTransactionReceipt',
      hash,
    );
    await node.ask('anvil_setCode', at, await node.ask('eth_getCode', contractAddress, 'latest'));
  };
  await install(tokenBytecode, cashToken.address);
  await install(routerBytecode, contracts.router);
  await node.ask('anvil_setBalance', wallet, quantity(NATIVE));
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [wallet, CASH] });
  await node.ask('eth_sendTransaction', { from, to: cashToken.address, data });
  await node.ask('anvil_setNextBlockBaseFeePerGas', quantity(BASE_FEE));
  await node.mine();
  await node.ask('anvil_setNextBlockBaseFeePerGas', quantity(BASE_FEE));
}
