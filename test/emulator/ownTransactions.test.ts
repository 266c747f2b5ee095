import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseAbi,
  parseEventLogs,
  parseGwei,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, test } from 'vitest';
import { eventAbi } from '../../src/emulator/chain/events.ts';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.ts';
import { call, sign, type Call, type Envelope } from './client.ts';

const START = '2026-06-15T14:00:00Z';
const started: Emulator[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
});

const erc20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
]);

type Calldata = { toAddress: Hex; callData: Hex; chainId: number; value: string };

/** A wallet of its own with viem, a key, and a hand on the clock. */
class Trader {
  readonly emulator: Emulator;
  readonly #account;

  private constructor(emulator: Emulator, index: number) {
    this.emulator = emulator;
    const account = emulator.info.accounts[index];
    if (!account) throw new Error('no account');
    this.#account = account;
  }

  static async start(options: EmulatorOptions = {}, index = 3): Promise<Trader> {
    const emulator = await startEmulator({ speed: 0, start: START, indexerLagMs: 4_000, ...options });
    started.push(emulator);
    return new Trader(emulator, index);
  }

  get address(): Hex {
    return this.#account.userAddress;
  }

  get chain() {
    const { chainId, rpcUrl } = this.emulator.info;
    return defineChain({
      ...{ id: chainId, name: 'emulated', nativeCurrency: { name: 'native', symbol: 'NAT', decimals: 18 } },
      rpcUrls: { default: { http: [rpcUrl] } },
    });
  }

  get reader() {
    return createPublicClient({ chain: this.chain, transport: http() });
  }

  get wallet() {
    const account = privateKeyToAccount(this.#account.privateKey as Hex);
    return createWalletClient({ account, chain: this.chain, transport: http() });
  }

  async control(path: string, body: unknown): Promise<Record<string, unknown>> {
    const answer = await fetch(this.emulator.info.controlUrl + path, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    const json = (await answer.json()) as Record<string, unknown>;
    if (answer.status !== 200) throw new Error(JSON.stringify(json));
    return json;
  }

  wait = (advanceMs: number) => this.control('/clock', { advanceMs });

  async now(): Promise<number> {
    const answer = await fetch(`${this.emulator.info.controlUrl}/clock`);
    return Date.parse(((await answer.json()) as { now: string }).now);
  }

  async deadline(): Promise<number> {
    return Math.floor((await this.now()) / 1000) + 90;
  }

  async ask(request: Omit<Call, 'ts'>, key = this.#account.keys[0]): Promise<Envelope> {
    if (!key) throw new Error('no key');
    const signed = sign(key, { ...request, ts: await this.now() });
    return JSON.parse((await call(this.emulator.info.baseUrl, signed)).text) as Envelope;
  }

  get = async (path: string): Promise<unknown> =>
    (await this.ask({ method: 'GET', path: `/api/v1${path}` })).data;
  post = (path: string, body: unknown) => this.ask({ method: 'POST', path: `/api/v1${path}`, body });

  /** Signs and sends what the venue answers for a wish. */
  async carryOut(path: string, body: Record<string, unknown>): Promise<Hex> {
    const { code, errMsg, data } = await this.post(`${path}/calldata`, body);
    if (code !== 200) throw new Error(errMsg);
    const { toAddress: to, callData } = data as Calldata;
    return this.wallet.sendTransaction({ to, data: callData });
  }
}

describe('a wallet of its own', () => {
  test('reads the chain as viem does', async () => {
    const { reader, address, emulator } = await Trader.start();
    const { info } = emulator;
    expect(await reader.getChainId()).toBe(143);
    expect(await reader.getBlockNumber()).toBe(0n);
    expect(await reader.getBalance({ address })).toBe(100n * 10n ** 18n);
    expect(await reader.getTransactionCount({ address })).toBe(0);
    expect(await reader.getCode({ address })).toBeUndefined();
    expect(await reader.getCode({ address: info.contracts.router as Hex })).toBe('0xfe');
    const block = await reader.getBlock();
    expect(block).toMatchObject({
      number: 0n,
      timestamp: BigInt(Date.parse(START) / 1000),
      transactions: [],
    });
    expect((await reader.getBlock({ blockHash: block.hash })).number).toBe(0n);
    const token = { address: info.cashToken.address as Hex, abi: erc20 };
    expect(await reader.readContract({ ...token, functionName: 'balanceOf', args: [address] })).toBe(
      50_000_000_000n,
    );
    expect(await reader.readContract({ ...token, functionName: 'decimals' })).toBe(6);
    expect(await reader.readContract({ ...token, functionName: 'symbol' })).toBe('USDC');
    expect(await reader.readContract({ ...token, functionName: 'totalSupply' })).toBe(200_000_000_000n);
    const stock = { address: info.symbols[0]?.contractAddress as Hex, abi: erc20 };
    expect(await reader.readContract({ ...stock, functionName: 'balanceOf', args: [address] })).toBe(
      20n * 10n ** 18n,
    );
    expect(await reader.estimateFeesPerGas()).toMatchObject({ maxPriorityFeePerGas: parseGwei('2') });
  });

  test('approves, deposits, orders and records', async () => {
    const trader = await Trader.start();
    const { reader, wallet, address } = trader;
    const { cashToken, contracts, symbols } = trader.emulator.info;
    const router = contracts.router as Hex;
    const token = { address: cashToken.address as Hex, abi: erc20 };
    const approval = await wallet.writeContract({
      ...{ ...token, functionName: 'approve', args: [router, 500_000_000n] },
    });
    const body = { userAddress: address, tokenAddress: cashToken.address, tokenAmount: '200' };
    const deposit = await trader.carryOut('/cash/deposits', body);
    const stockAddress = symbols[0]?.contractAddress;
    const order = await trader.carryOut('/orders', {
      ...{ stockAddress, side: 'Buy', type: 'Limit', quantity: '1', price: '1.00', timeInForce: 'DAY' },
      deadline: await trader.deadline(),
    });
    expect(await reader.getTransactionCount({ address, blockTag: 'pending' })).toBe(3);
    expect(await reader.getTransactionCount({ address })).toBe(0);
    await expect(reader.getTransactionReceipt({ hash: deposit })).rejects.toThrow('could not be found');
    const link = await trader.post('/orders/tx', { txHash: order });
    expect(link).toMatchObject({ code: 200, data: { status: 'Pending', orderId: null } });
    await trader.wait(6_000);

    const receipts = await Promise.all(
      [approval, deposit, order].map((hash) => reader.getTransactionReceipt({ hash })),
    );
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(receipts[1]).toMatchObject({ gasUsed: 160_000n, to: router.toLowerCase() });
    const logs = receipts.flatMap((receipt) => parseEventLogs({ abi: eventAbi, logs: receipt.logs }));
    expect(logs.map(({ eventName }) => eventName)).toEqual([
      'Approval',
      'InstantDeposit',
      'LimitOrderPlaced',
    ]);
    expect(logs[1]?.args).toMatchObject({
      user: address,
      amount: 200_000_000n,
      creditAmount: 200n * 10n ** 18n,
    });
    const placed = logs[2]?.args as { orderId: Hex };
    expect(await reader.readContract({ ...token, functionName: 'allowance', args: [address, router] })).toBe(
      300_000_000n,
    );
    const gas = receipts.reduce(
      (sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice,
      0n,
    );
    expect(await reader.getBalance({ address })).toBe(100n * 10n ** 18n - gas);
    expect(receipts[0]?.effectiveGasPrice).toBe(parseGwei('52'));

    const found = await reader.getLogs({
      ...{ address: contracts.stock as Hex, event: eventAbi[1], args: { user: address } },
      ...{ fromBlock: 0n, toBlock: 'latest' },
    });
    expect(found).toMatchObject([{ transactionHash: order, args: { orderId: placed.orderId } }]);
    expect(await reader.getLogs({ fromBlock: 0n, toBlock: 0n })).toEqual([]);

    await trader.wait(4_000);
    expect(await trader.get(`/orders/${placed.orderId}`)).toMatchObject({
      ...{ mappingStatus: 'New', mapping: { txHash: order }, openOrder: { placePrice: '1' } },
    });
    const late = await trader.post('/cash/deposits/tx', { txHash: deposit });
    expect(late).toMatchObject({ code: 200, data: { status: 'success' } });
    expect((late.data as { operationId: unknown }).operationId).toBe((logs[1]?.args as { opId: Hex }).opId);
    expect(await trader.get('/cash/deposits')).toMatchObject({ total: 1 });
  });
});
