import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { ConfigError, SafetyError } from '../../src/core/errors.ts';
import { hashHex } from '../../src/core/random.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { openFront, openMachine, savedInstant, type Kept } from '../../src/emulator/index.ts';
import { encode } from '../../src/store/codec.ts';
import { sign, type Call } from './client.ts';
import { START, stock } from './harness.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-emulator-'));
afterAll(() => rmSync(root, { recursive: true }));
let directories = 0;
const directory = () => join(root, String(directories++));

const hashOf = ({ machine: { state } }: Kept): string => hashHex(encode(state));

/** The directory as a machine that lost its power would find it. */
const crash = (stateDir: string): string => {
  const image = directory();
  cpSync(stateDir, image, { recursive: true, filter: (file) => !file.includes('lock') });
  return image;
};

class Runner {
  readonly kept: Kept;
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

  /** Part of a day: orders, reads, faults and another actor's money. */
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

describe('a state directory', () => {
  test('gives back the very state, however the process ended, and goes on the same way', async () => {
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

  test('goes on after a clean end too, from a snapshot', async () => {
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
  ])('refuses another %s than it was begun with', (_name, options) => {
    const stateDir = directory();
    openMachine({ stateDir, start: toIso(START) }).close();
    expect(() => openMachine({ stateDir, ...options })).toThrow(ConfigError);
    openMachine({ stateDir, start: toIso(START), seed: 1, indexerLagMs: 3_000 }).close();
  });

  test('refuses a clock that is behind it', async () => {
    const stateDir = directory();
    const first = new Runner(stateDir, nonces());
    await first.live(1);
    first.kept.close();
    const again = openMachine({ stateDir });
    const clock = new VirtualClock({ start: epochMs(START) });
    expect(() => openFront(again, { clock })).toThrow(ConfigError);
    again.close();
  });

  test('is nothing before it was begun', () => {
    expect(savedInstant(directory())).toBeNull();
  });
});
