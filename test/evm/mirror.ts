import { encodeAbiParameters, keccak256, pad, type Hex } from 'viem';
import { parseDecimal } from '../../src/core/amount.ts';
import { epochMs, toSeconds } from '../../src/core/brand.ts';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import { quantity, type Anvil } from './anvil.ts';
import { deploy, type Receipt } from './stage.ts';
import type { MirroredVenue } from './venue.ts';

const BLOCK_MS = 2_000;
/** Wei. The minimum of the emulator's node. */
const BASE_FEE = 50_000_000_000n;
/** Wei that each wallet has on both chains: 100. */
const NATIVE = 10n ** 20n;

/** Storage slots of users in the contracts: `cash` and `orders` are their first two variables. */
const slotOf = (key: Hex, variable: 0n | 1n): bigint =>
  BigInt(keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [pad(key), variable])));

const word = (value: bigint): Hex => pad(quantity(value), { size: 32 });

/** The outcome of one transaction on both chains: 1 done, 0 reverted. */
export type Pair = Readonly<{ hash: Hex; node: number; venue: number | null }>;

export type MirrorOptions = Readonly<{ node: Anvil; clock: VirtualClock; venue: MirroredVenue }>;

/**
 * Joins two chains: anvil mines a block in every other second of the venue's time, and every transaction in it is passed,
 * byte for byte, to the emulator's own chain, which settles it in the same second. The resulting cash and open orders of the
 * venue are written into the contracts on anvil, so that both judge the next transaction by the same state.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #mined: Hex[] = [];
  /** The words written into the router's storage, by slot. */
  readonly #written = new Map<bigint, bigint>();
  #stalledUntil = 0;
  #failure: Error | null = null;
  #stopped = false;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** Places the contracts at the venue's addresses, and mines from then on. */
  async start(): Promise<void> {
    const { node, venue } = this.#options;
    const { info } = venue;
    const { token, router } = await deploy(node);
    await node.ask('anvil_setCode', info.cashToken.address, await node.ask('eth_getCode', token, 'latest'));
    await node.ask('anvil_setCode', info.contracts.router, await node.ask('eth_getCode', router, 'latest'));
    for (const { userAddress } of info.accounts)
      await node.ask('anvil_setBalance', userAddress, quantity(NATIVE));
    await this.#step();
    void this.#mineOn();
  }

  /** Stops blocks for so long. */
  stall(ms: number): void {
    this.#stalledUntil = this.#options.clock.now() + ms;
  }

  /** The transactions that anvil has mined, with their outcome on both chains. @throws the error that ended the mining */
  async stop(): Promise<readonly Pair[]> {
    this.#stopped = true;
    if (this.#failure !== null) throw this.#failure;
    const { node, venue } = this.#options;
    return Promise.all(
      this.#mined.map(async (hash) => {
        const receipt = await node.ask<Receipt>('eth_getTransactionReceipt', hash);
        return { hash, node: Number(receipt.status), venue: venue.statusOf(hash) };
      }),
    );
  }

  async #mineOn(): Promise<void> {
    const { clock } = this.#options;
    try {
      while (!this.#stopped) {
        await this.#nextBlock();
        if (clock.now() >= this.#stalledUntil) await this.#step();
      }
    } catch (error) {
      if (!this.#stopped) this.#failure = new Error('the mirror has stopped', { cause: error });
    }
  }

  /** Resolves at the exact instant of the next block, on a whole second. */
  #nextBlock(): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      clock.at(epochMs((Math.floor(clock.now() / BLOCK_MS) + 1) * BLOCK_MS), resolve);
    });
  }

  /** Time stands still until both chains have the block. */
  async #step(): Promise<void> {
    const { node, clock, venue } = this.#options;
    const release = clock.hold();
    try {
      await this.#writeBack();
      await node.ask('evm_setNextBlockTimestamp', quantity(toSeconds(clock.now())));
      await node.ask('anvil_setNextBlockBaseFeePerGas', quantity(BASE_FEE));
      await node.mine();
      const block = await node.ask<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest', false);
      for (const hash of block.transactions) {
        await venue.mine(await node.ask<Hex>('eth_getRawTransactionByHash', hash));
        this.#mined.push(hash);
      }
    } finally {
      release();
    }
  }

  async #writeBack(): Promise<void> {
    const { accounts, orders } = this.#options.venue.truth();
    for (const { userAddress, mUsd } of accounts)
      await this.#write(slotOf(userAddress as Hex, 0n), parseDecimal(mUsd));
    for (const { orderId, userAddress, minedAt, status } of orders) {
      const isOpen = minedAt !== null && (status === 'New' || status === 'Pending');
      await this.#write(slotOf(orderId as Hex, 1n), isOpen ? BigInt(userAddress) : 0n);
    }
  }

  async #write(slot: bigint, value: bigint): Promise<void> {
    if (this.#written.get(slot) === value) return;
    const { node, venue } = this.#options;
    await node.ask('anvil_setStorageAt', venue.info.contracts.router, quantity(slot), word(value));
    this.#written.set(slot, value);
  }
}
