import { createPublicClient, createWalletClient, defineChain, http, parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmulator, type Emulator, type EmulatorOptions, type Truth } from '../../src/emulator/index.ts';
import { call, sign, type Call, type ClientOptions, type Envelope } from './client.ts';

const started: Emulator[] = [];
export const closeAll = async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
};

const START = '2026-06-15T14:00:00Z';

type NodeAnswer = { id: unknown; result?: unknown; error?: { code: number; message: string; data?: Hex } };
type TransactionFields = {
  chainId: number;
  nonce: number;
  to: Hex;
  data: Hex;
  value: bigint;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
};
type Calldata = { toAddress: Hex; callData: Hex };

/** A wallet with viem and a key, and control over the clock. */
export class Trader {
  readonly emulator: Emulator;
  readonly #account;

  private constructor(emulator: Emulator, index: number) {
    this.emulator = emulator;
    const account = emulator.info.accounts[index];
    if (!account) throw new Error('no account');
    this.#account = account;
  }

  static async start(options: EmulatorOptions = {}, index = 3): Promise<Trader> {
    const emulator = await startEmulator({
      speed: 0,
      start: START,
      indexerLagMs: 4_000,
      node: 'geth',
      ...options,
    });
    started.push(emulator);
    return new Trader(emulator, index);
  }

  get address(): Hex {
    return this.#account.userAddress;
  }

  get chain() {
    const { chainId, rpcUrl } = this.emulator.info;
    return defineChain({
      id: chainId,
      name: 'emulated',
      nativeCurrency: { name: 'native', symbol: 'NAT', decimals: 18 },
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
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    const json = (await answer.json()) as Record<string, unknown>;
    if (answer.status !== 200) throw new Error(JSON.stringify(json));
    return json;
  }

  /** Sends one call to the node, without viem. */
  async node(method: string, ...params: unknown[]): Promise<NodeAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(this.emulator.info.rpcUrl, { method: 'POST', body });
    return (await answer.json()) as NodeAnswer;
  }

  /** A transaction to the router, signed but not sent. */
  signed(fields: Partial<TransactionFields> = {}): Promise<Hex> {
    return privateKeyToAccount(this.#account.privateKey as Hex).signTransaction({
      type: 'eip1559',
      chainId: 143,
      nonce: 0,
      to: this.emulator.info.contracts.router as Hex,
      data: '0x',
      gas: 200_000n,
      maxFeePerGas: parseGwei('60'),
      maxPriorityFeePerGas: parseGwei('2'),
      ...fields,
    });
  }

  /** Response of the node to bytes: the hash, or why not. */
  async send(raw: Hex): Promise<string> {
    const { result, error } = await this.node('eth_sendRawTransaction', raw);
    return error?.message ?? (result as string);
  }

  wait = (advanceMs: number) => this.control('/clock', { advanceMs });

  async truth(): Promise<Truth> {
    return (await (await fetch(`${this.emulator.info.controlUrl}/truth`)).json()) as Truth;
  }

  async now(): Promise<number> {
    const answer = await fetch(`${this.emulator.info.controlUrl}/clock`);
    return Date.parse(((await answer.json()) as { now: string }).now);
  }

  async deadline(): Promise<number> {
    return Math.floor((await this.now()) / 1000) + 90;
  }

  key(index = 0) {
    const key = this.#account.keys[index];
    if (!key) throw new Error('no key');
    return key;
  }

  async ask(request: Omit<Call, 'ts'>, key: ClientOptions = this.key()): Promise<Envelope> {
    const signed = sign(key, { ...request, ts: await this.now() });
    return JSON.parse((await call(this.emulator.info.baseUrl, signed)).text) as Envelope;
  }

  get = async (path: string): Promise<unknown> =>
    (await this.ask({ method: 'GET', path: `/api/v1${path}` })).data;
  post = (path: string, body: unknown) => this.ask({ method: 'POST', path: `/api/v1${path}`, body });

  /** Signs and sends the calldata that the venue returns for a request. */
  async carryOut(path: string, body: Record<string, unknown>, gas?: bigint): Promise<Hex> {
    const { code, errMsg, data } = await this.post(`${path}/calldata`, body);
    if (code !== 200) throw new Error(errMsg);
    const { toAddress: to, callData } = data as Calldata;
    return this.wallet.sendTransaction({ to, data: callData, ...(gas && { gas }) });
  }
}
