import { encodeAbiParameters, keccak256, pad, type Hex } from 'viem';
import { parseDecimal } from '../../src/core/amount.ts';
import { toSeconds } from '../../src/core/brand.ts';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { askOf, quantity, type Anvil, type Ask } from './anvil.ts';
import { deploy, type Receipt } from './stage.ts';

const BLOCK_MS = 1_000;
/** Wei. The least that the emulator's node takes. */
const BASE_FEE = 50_000_000_000n;

/** Where the contracts keep what users have: `cash` and `orders` are their first two variables. */
const slotOf = (key: Hex, variable: 0n | 1n): bigint =>
  BigInt(keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [pad(key), variable])));

const word = (value: bigint): Hex => pad(quantity(value), { size: 32 });

/** The outcome of one transaction on both chains: 1 done, 0 reverted. */
export type Pair = Readonly<{ hash: Hex; node: number; venue: number | null }>;

export type MirrorOptions = Readonly<{
  node: Anvil;
  clock: VirtualClock;
  info: EmulatorInfo;
  truth: () => Promise<Truth>;
}>;

/**
 * Makes one chain of two: anvil mines a block in each second of the venue's time, and every transaction in it is handed,
 * byte for byte, to the emulator's own chain, which settles it. What the venue then has of cash and open orders is written
 * into the contracts on anvil, so that both judge the next transaction by the same state.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #venue: Ask;
  readonly #mined: Hex[] = [];
  /** The words that were written into the router's storage, by slot. */
  readonly #written = new Map<bigint, bigint>();
  #stalledUntil = 0;
  #failure: Error | null = null;
  #stopped = false;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#venue = askOf(options.info.rpcUrl);
  }

  /** Puts the contracts where the venue has them, and mines from then on. */
  async start(): Promise<void> {
    const { node, info } = this.#options;
    const { token, router } = await deploy(node);
    await node.ask('anvil_setCode', info.cashToken.address, await node.ask('eth_getCode', token, 'latest'));
    await node.ask('anvil_setCode', info.contracts.router, await node.ask('eth_getCode', router, 'latest'));
    for (const { userAddress } of info.accounts)
      await node.ask(
        'anvil_setBalance',
        userAddress,
        await this.#venue('eth_getBalance', userAddress, 'latest'),
      );
    await this.#step();
    void this.#mineOn();
  }

  /** No block comes for so long. */
  stall(ms: number): void {
    this.#stalledUntil = this.#options.clock.now() + ms;
  }

  /** The transactions that anvil has mined, with what became of them on both chains. @throws what has ended the mining */
  async stop(): Promise<readonly Pair[]> {
    this.#stopped = true;
    if (this.#failure !== null) throw this.#failure;
    const statusBy = async (ask: Ask, hash: Hex) => {
      const receipt = await ask<Receipt | null>('eth_getTransactionReceipt', hash);
      return receipt ? Number(receipt.status) : null;
    };
    return Promise.all(
      this.#mined.map(async (hash) => ({
        hash,
        node: (await statusBy(this.#options.node.ask, hash)) ?? 0,
        venue: await statusBy(this.#venue, hash),
      })),
    );
  }

  async #mineOn(): Promise<void> {
    const { clock } = this.#options;
    try {
      while (!this.#stopped) {
        if (clock.now() >= this.#stalledUntil) await this.#step();
        await clock.sleep(BLOCK_MS);
      }
    } catch (error) {
      if (!this.#stopped) this.#failure = new Error('the mirror has stopped', { cause: error });
    }
  }

  /** Time stands still until both chains have the block. */
  async #step(): Promise<void> {
    const { node, clock } = this.#options;
    await this.#writeBack();
    const release = clock.hold();
    try {
      await node.ask('evm_setNextBlockTimestamp', quantity(toSeconds(clock.now())));
      await node.ask('anvil_setNextBlockBaseFeePerGas', quantity(BASE_FEE));
      await node.mine();
    } finally {
      release();
    }
    const block = await node.ask<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest', false);
    for (const hash of block.transactions) {
      const raw = await node.ask<Hex>('eth_getRawTransactionByHash', hash);
      await this.#venue('eth_sendRawTransaction', raw);
      this.#mined.push(hash);
    }
  }

  async #writeBack(): Promise<void> {
    const { accounts, orders } = await this.#options.truth();
    for (const { userAddress, mUsd } of accounts)
      await this.#write(slotOf(userAddress as Hex, 0n), parseDecimal(mUsd));
    for (const { orderId, userAddress, minedAt, status } of orders) {
      const isOpen = minedAt !== null && (status === 'New' || status === 'Pending');
      await this.#write(slotOf(orderId as Hex, 1n), isOpen ? BigInt(userAddress) : 0n);
    }
  }

  async #write(slot: bigint, value: bigint): Promise<void> {
    if (this.#written.get(slot) === value) return;
    const { node, info } = this.#options;
    await node.ask('anvil_setStorageAt', info.contracts.router, quantity(slot), word(value));
    this.#written.set(slot, value);
  }
}
