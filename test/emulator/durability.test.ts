import { Database } from '../../src/store/sqlite/sqlite.ts';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { ConfigError, SafetyError } from '../../src/core/errors.ts';
import { hashHex } from '../../src/core/random.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { RawTransaction } from '../../src/emulator/chain/acceptance.ts';
import type { Command } from '../../src/emulator/machine/commands.ts';
import { cashToken } from '../../src/emulator/state/constants.ts';
import { openFront, openMachine, savedInstant, type KeptMachine } from '../../src/emulator/index.ts';
import { encode } from '../../src/store/codec.ts';
import { sign, type Call } from './client.ts';
import { START, stock } from './harness.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-emulator-'));
afterAll(() => rmSync(root, { recursive: true }));
let directories = 0;
const directory = () => join(root, String(directories++));

const hashOf = ({ machine: { state } }: KeptMachine): string => hashHex(encode(state));

/** Copy of the directory as a power failure would leave it. */
const crash = (stateDir: string): string => {
  const image = directory();
  cpSync(stateDir, image, { recursive: true, filter: (file) => !file.includes('lock') });
  return image;
};

class Runner {
  readonly kept: KeptMachine;
  readonly clock: VirtualClock;
  readonly #front;
  readonly #nonces: Iterator<string>;

  constructor(stateDir: string, nonces: Iterator<string>) {
    this.kept = openMachine({ stateDir, start: toIso(START) });
    this.clock = new VirtualClock({ start: this.kept.machine.state.now });
    this.#front = openFront(this.kept, { clock: this.clock, latency: { minMs: 0, maxMs: 0 } });
    this.#nonces = nonces;
  }

  async ask(call: Omit<Call, 'ts'>): Promise<string> {
    const [key] = this.kept.machine.state.keys;
    if (!key) throw new Error('no key');
    const nonce = this.#nonces.next().value as string;
    const reply = await this.#front({
      ...sign(key, { ...call, nonce, ts: this.clock.now() }),
      ip: '127.0.0.1',
    });
    return reply?.body ?? 'broken';
  }

  order(size: string) {
    const deadline = Math.floor(this.clock.now() / 1000) + 90;
    const terms = { side: 'Buy', type: 'Limit', quantity: size, price: '500', timeInForce: 'DAY' };
    const body = { stockAddress: stock('AAPL'), deadline, ...terms };
    return this.ask({ method: 'POST', path: '/api/v1/orders/send', body });
  }

  /** Part of a day: orders, reads, faults and transfers of another actor. */
  async live(rounds: number): Promise<void> {
    const { machine, keep } = this.kept;
    for (let round = 0; round < rounds; round++) {
      await this.order(`${round + 1}.5`);
      await this.clock.advanceBy(1_700);
      await this.ask({ method: 'GET', path: '/api/v1/orders' });
      await this.clock.advanceBy(7_300);
      const at = this.clock.now();
      const [account] = machine.state.accounts;
      const move = { userAddress: account?.userAddress ?? '', asset: 'mUSD', amount: '-12.5' };
      const command = { kind: 'move', body: move } as const;
      machine.command(command, at);
      keep({ at, kind: 'command', command });
    }
  }
}

function* nonces(): Generator<string, never> {
  for (let count = 0; ; count++) yield `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
}

describe('the state folder of an emulator', () => {
  test('opens although one of its inputs threw', () => {
    const stateDir = directory();
    const { kept } = new Runner(stateDir, nonces());
    const at = kept.machine.state.now;
    const transaction = {} as RawTransaction;
    expect(() => kept.machine.accept(transaction, at)).toThrow(TypeError);
    kept.keep({ at, kind: 'transaction', transaction });
    const second = new Runner(crash(stateDir), nonces());
    expect(hashOf(second.kept)).toBe(hashOf(kept));
    kept.close();
    second.kept.close();
  });

  test('restores exactly the same state after any end, and continues in the same way', async () => {
    const stateDir = directory();
    const first = new Runner(stateDir, nonces());
    await first.live(5);
    await first.order('3');
    const image = crash(stateDir);
    const second = new Runner(image, nonces());
    expect(second.clock.now()).toBe(first.clock.now());
    expect(hashOf(second.kept)).toBe(hashOf(first.kept));
    await first.clock.advanceBy(60_000);
    first.kept.machine.advance(first.clock.now());
    second.kept.machine.advance(first.clock.now());
    expect(hashOf(second.kept)).toBe(hashOf(first.kept));
    expect(second.kept.machine.truth(first.clock.now()).orders).toHaveLength(6);
    first.kept.close();
    second.kept.close();
  });

  test('remembers a nonce', async () => {
    const stateDir = directory();
    const first = new Runner(stateDir, nonces());
    expect(await first.ask({ method: 'GET', path: '/api/v1/symbols' })).toContain('"code":200');
    const second = new Runner(crash(stateDir), nonces());
    expect(await second.ask({ method: 'GET', path: '/api/v1/symbols' })).toContain('"code":401');
    first.kept.close();
    second.kept.close();
  });

  test('restores the same state from a snapshot after a clean end', async () => {
    const stateDir = directory();
    const first = new Runner(stateDir, nonces());
    await first.live(3);
    const hash = hashOf(first.kept);
    first.kept.close();
    const again = openMachine({ stateDir });
    expect(hashOf(again)).toBe(hash);
    expect(savedInstant(stateDir)).toBe(first.clock.now());
    again.close();
  });

  test('remembers queued transfers, debts and announced actions', async () => {
    const stateDir = directory();
    const first = new Runner(stateDir, nonces());
    const send = async (command: Command) => {
      first.kept.machine.command(command, first.clock.now());
      first.kept.keep({ at: first.clock.now(), kind: 'command', command });
    };
    await send({ kind: 'cashier', body: { creditBuffer: '0' } });
    const split = { type: 'forward_split', symbol: 'AAPL', oldRate: '1', newRate: '4' } as const;
    await send({ kind: 'corporate-action', body: split });
    const body = { tokenAddress: cashToken.address, tokenAmount: '100' };
    await first.ask({ method: 'POST', path: '/api/v1/cash/deposits/send', body });
    await first.clock.advanceBy(10_000);
    await first.ask({ method: 'GET', path: '/api/v1/cash/deposits' });
    const second = new Runner(crash(stateDir), nonces());
    expect(hashOf(second.kept)).toBe(hashOf(first.kept));
    const later = epochMs(first.clock.now() + 24 * 3_600_000);
    for (const { kept } of [first, second]) kept.machine.advance(later);
    expect(hashOf(second.kept)).toBe(hashOf(first.kept));
    const [account] = second.kept.machine.truth(later).accounts;
    expect(account).toMatchObject({ mUsd: '100100', cashToken: { wallet: '49900', queued: '0' } });
    expect(account?.stocks).toContainEqual(expect.objectContaining({ symbol: 'AAPL', exchange: '400' }));
    first.kept.close();
    second.kept.close();
  });

  test('of another version is refused', () => {
    const stateDir = directory();
    openMachine({ stateDir }).close();
    const file = new Database(join(stateDir, 'emulator.sqlite'));
    file.pragma('user_version = 1');
    file.close();
    expect(() => openMachine({ stateDir })).toThrow('older version');
  });

  test('serves one process at a time', () => {
    const stateDir = directory();
    const first = openMachine({ stateDir });
    expect(() => openMachine({ stateDir })).toThrow(SafetyError);
    first.close();
    openMachine({ stateDir }).close();
  });

  test.each([
    ['seed', { seed: 2 }],
    ['start', { start: '2026-06-16T14:00:00Z' }],
    ['lag', { indexerLagMs: 1 }],
    ['number of stocks', { stocks: 16 }],
  ])('is refused with a different %s than before', (_name, options) => {
    const stateDir = directory();
    openMachine({ stateDir, start: toIso(START) }).close();
    expect(() => openMachine({ stateDir, ...options })).toThrow(ConfigError);
    openMachine({ stateDir, start: toIso(START), seed: 1, indexerLagMs: 3_000 }).close();
  });

  test('lists as many stocks as before', () => {
    const stateDir = directory();
    openMachine({ stateDir, stocks: 20 }).close();
    const again = openMachine({ stateDir });
    expect(again.machine.state.stocks).toBe(20);
    again.close();
    expect(() => openMachine({ stateDir, stocks: 15 })).toThrow('a number of stocks of 20, not 15');
  });

  test.each([14, 5_001, 20.5, NaN])('refuses to list %d stocks', (stocks) => {
    expect(() => openMachine({ stocks })).toThrow('the emulator lists 15 to 5000');
  });

  test('refuses a clock that is behind its own', async () => {
    const stateDir = directory();
    const first = new Runner(stateDir, nonces());
    await first.live(1);
    first.kept.close();
    const again = openMachine({ stateDir });
    const clock = new VirtualClock({ start: epochMs(START) });
    expect(() => openFront(again, { clock })).toThrow(ConfigError);
    again.close();
  });

  test('has no saved instant before the first start', () => {
    expect(savedInstant(directory())).toBeNull();
  });
});
