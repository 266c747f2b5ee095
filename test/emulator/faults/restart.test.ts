import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import { hashHex } from '../../../src/core/random.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { type Command, script } from '../../../src/emulator/machine/commands.ts';
import { openFront, openMachine, openRpcFront, type KeptMachine } from '../../../src/emulator/index.ts';
import { encode } from '../../../src/store/codec.ts';
import { sign, type Call } from '../client.ts';
import { START, stock } from '../harness.ts';
import { parsedPlan } from './plans.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-faults-'));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;

const INSTANT = { minMs: 0, maxMs: 0 };
const SEND = 'POST /api/v1/orders/send';
const CANCEL = 'DELETE /api/v1/orders/{orderId}/send';
const at = (ms: number): string => toIso(epochMs(START + ms));
const hashOf = ({ machine: { state } }: KeptMachine): string => hashHex(encode(state));

type Venue = ReturnType<typeof open>;

function open(stateDir: string) {
  const kept = openMachine({ stateDir, start: toIso(START) });
  const { machine, keep } = kept;
  const clock = new VirtualClock({ start: machine.state.now });
  const front = openFront(kept, { clock, latency: INSTANT });
  const node = openRpcFront(kept, { clock, latency: INSTANT });
  const ask = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    rest: Pick<Call, 'body' | 'query'> = {},
  ) => {
    const [key] = machine.state.keys;
    if (!key) throw new Error('no key');
    const nonce = `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
    const call = { method, path: `/api/v1${path}`, ts: clock.now(), nonce, ...rest };
    return front({ ...sign(key, call), ip: '127.0.0.1' });
  };
  const command = (each: Command) => {
    keep({ at: clock.now(), kind: 'command', command: each });
    machine.command(each, clock.now());
  };
  const direct = (steps: readonly unknown[]) => {
    const parsed = script.parse({ steps });
    keep({ at: clock.now(), kind: 'script', script: parsed });
    machine.script(parsed, clock.now());
  };
  const order = (terms: Record<string, unknown>) => {
    const deadline = Math.floor(clock.now() / 1000) + 90;
    return ask('POST', '/orders/send', { body: { stockAddress: stock('AAPL'), deadline, ...terms } });
  };
  return { kept, clock, node, ask, command, direct, order };
}

const market = { side: 'Buy', type: 'Market', notional: '100' };
const resting = { side: 'Buy', type: 'Limit', quantity: '2', price: '10', timeInForce: 'DAY' };

async function wait({ clock, kept }: Venue, ms: number): Promise<void> {
  await clock.advanceBy(ms);
  kept.machine.advance(clock.now());
}

async function cancelNewest(venue: Venue): Promise<void> {
  const order = venue.kept.machine.state.orders.at(-1);
  const deadline = Math.floor(venue.clock.now() / 1000) + 90;
  await venue.ask('DELETE', `/orders/${order?.orderId ?? ''}/send`, { query: { deadline } });
}

const days: [name: string, live: (venue: Venue) => Promise<void>][] = [
  [
    'messages',
    async (venue) => {
      venue.command(
        parsedPlan(
          [
            { kind: 'duplicate', ms: 20_000, endpoint: SEND, times: 1 },
            { kind: 'late-request', ms: 9_000, endpoint: SEND, times: 1 },
            { kind: 'other-hash', endpoint: SEND, after: 1 },
            { kind: 'list', how: 'shuffle', probability: 0.5 },
            { kind: 'edit', path: 'code', value: 7, from: at(5_000) },
          ],
          { rateLimit: { perMinute: 90, burst: 4 }, clockOffsetMs: 7_000 },
        ),
      );
      for (let round = 0; round < 6; round++) {
        await venue.order(market);
        await venue.ask('GET', '/orders');
        await wait(venue, 1_300);
      }
    },
  ],
  [
    'the chain',
    async (venue) => {
      venue.command(
        parsedPlan(
          [
            { kind: 'unmined', endpoint: SEND, times: 1 },
            { kind: 'mined-late', ms: 30_000, after: 2, times: 1 },
            { kind: 'revert', cause: 'out of gas', after: 1, times: 1 },
          ],
          { blockMs: 4_000, mempoolMs: 3_000 },
        ),
      );
      for (let round = 0; round < 5; round++) {
        await venue.order(round % 2 ? resting : market);
        await wait(venue, 4_000);
      }
    },
  ],
  [
    'a reorganisation under way',
    async (venue) => {
      await venue.order(resting);
      await venue.order(market);
      await wait(venue, 3_000);
      venue.command({ kind: 'reorg', body: { blocks: 40, returns: true } });
      await venue.order(market);
      await wait(venue, 12_000);
      await cancelNewest(venue);
    },
  ],
  [
    'a reorganisation that is over',
    async (venue) => {
      await venue.order(market);
      venue.command({ kind: 'reorg', body: { blocks: 10, returns: true } });
      await venue.order(resting);
      await wait(venue, 11_000);
      await venue.order(resting);
    },
  ],
  [
    'settlements',
    async (venue) => {
      const kinds = [
        { kind: 'settle-in-parts', parts: 5, everyMs: 10_000 },
        { kind: 'settle-reversed', ms: 9_000, againMs: 30_000 },
        { kind: 'settle-restated', ms: 20_000 },
        { kind: 'balance-late', ms: 25_000 },
        { kind: 'status-late', ms: 25_000 },
        { kind: 'settle-late', ms: 25_000 },
        { kind: 'settle-partly', share: 0.3 },
      ];
      venue.command(parsedPlan(kinds.map((rule) => ({ ...rule, endpoint: SEND, times: 1 }))));
      for (let round = 0; round < 8; round++) {
        await venue.order(market);
        await wait(venue, 2_100);
      }
    },
  ],
  [
    'a race that is on',
    async (venue) => {
      await venue.order({ ...resting, quantity: '7' });
      await wait(venue, 10_000);
      const race = { kind: 'cancel-race', filled: 0.4, endpoint: CANCEL };
      venue.command(parsedPlan([race, { kind: 'mined-late', ms: 60_000, endpoint: CANCEL }]));
      await cancelNewest(venue);
      venue.command({ kind: 'market', body: { symbol: 'AAPL', price: '5' } });
    },
  ],
  [
    'a script, other hours and frozen quotes',
    async (venue) => {
      const [key] = venue.kept.machine.state.keys;
      venue.direct([
        { at: at(4_000), command: 'quotes', body: { frozen: true } },
        { at: at(9_000), command: 'session', body: { date: '2026-06-15', close: '13:00' } },
        { at: at(30_000), command: 'keys', body: { apiKey: key?.apiKey, active: false } },
        {
          at: at(31_000),
          command: 'move',
          body: { userAddress: key?.userAddress, asset: 'mUSD', amount: '-1e9' },
        },
      ]);
      await venue.order(resting);
      await wait(venue, 12_000);
      const body = { stockAddress: stock('KO'), ...market };
      venue.command({ kind: 'order', body: { apiKey: key?.apiKey ?? '', body } });
      await venue.order(resting);
    },
  ],
  [
    'the node',
    async (venue) => {
      venue.command(parsedPlan({ on: 'node', kind: 'status', status: 503, after: 2, times: 3 }));
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
      const statuses: unknown[] = [];
      for (let round = 0; round < 4; round++) statuses.push((await venue.node(body))?.status);
      expect(statuses).toEqual([200, 200, 503, 503]);
    },
  ],
];

test.each(days)('a restart in the middle of a day changes nothing: %s', async (_name, live) => {
  const stateDir = join(root, String(count++));
  const first = open(stateDir);
  await live(first);
  const image = join(root, String(count++));
  cpSync(stateDir, image, { recursive: true, filter: (file) => !file.includes('lock') });
  const second = open(image);
  first.kept.machine.advance(first.clock.now());
  second.kept.machine.advance(first.clock.now());
  expect(hashOf(second.kept)).toBe(hashOf(first.kept));
  second.kept.close();
  const third = open(image);
  expect(hashOf(third.kept)).toBe(hashOf(first.kept));
  for (const ms of [20_000, 40_000, 5 * 3_600_000]) {
    const later = epochMs(first.clock.now() + ms);
    for (const { kept } of [first, third]) kept.machine.advance(later);
    expect(hashOf(third.kept)).toBe(hashOf(first.kept));
  }
  for (const { kept } of [first, third]) kept.close();
});
