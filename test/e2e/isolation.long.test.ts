import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { freshDir, start } from './cli.ts';

const LONG_MS = 180_000;

const strategy = (symbol: string, onBar: string, onStart = ''): string => `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
const kept: unknown[] = [];
export default defineStrategy({
  name: 'tried',
  description: 'For a test.',
  params: z.strictObject({}),
  data: () => ({ bars: [{ symbol: '${symbol}', interval: '5m' }] }),
  create: ({ state }) => ({
    onStart({ order }) { ${onStart} },
    onBar({ order }) {
      state.bars = (state.bars as number ?? 0) + 1;
      if (state.bars === 4) { ${onBar} }
    },
  }),
});
`;

/** Changes of objects shared by all code of a thread; each fails. */
const PATCHES = [
  "JSON.stringify = () => '90000' as never",
  'Object.assign(Object.prototype, { toJSON() { return { notional: 90000 }; } })',
  "Object.defineProperty(Object.prototype, 'kind', { get: () => 'evil', set() {}, configurable: true })",
  'Array.prototype.push = () => 0',
  'Map.prototype.get = () => undefined',
  'Math.floor = () => 90000',
  "Number.prototype.toString = () => '90000'",
  'Object.assign(globalThis, { Promise: class {}, BigInt: () => 7n })',
]
  .map((patch) => `try { ${patch}; kept.push('patched'); } catch {}`)
  .join('\n');

const STRATEGIES = {
  loops: strategy('AAPL', 'for (;;);'),
  eats: strategy('MSFT', 'for (;;) kept.push(new Array(1e5).fill(1.5));'),
  patches: strategy(
    'NVDA',
    "if (kept.length > 0) throw new Error('patched'); state.bars = 0; order.buy('NVDA', { notional: 100 });",
    PATCHES,
  ),
};

function configIn(folder: string): string {
  const entries = Object.entries(STRATEGIES).map(([id, source]) => {
    writeFileSync(join(folder, `${id}.ts`), source);
    return `  - { id: ${id}, use: ./${id}.ts, capital: '10000'}\n`;
  });
  const file = join(folder, 'run.yaml');
  writeFileSync(
    file,
    `mode: emulator\nisolation: { hookSeconds: 10, memoryMb: 256 }\nstrategies:\n${entries.join('')}`,
  );
  return file;
}

test(
  'a strategy that loops and one that eats memory are stopped, and a third trades to the close',
  async () => {
    const file = configIn(freshDir());
    const run = start(['run', file, '--speed', 'max', '--until', 'close', '--seed', '1', '--json']);
    const { code, out, err } = await run.done;
    const summary = JSON.parse(out) as RunSummary;
    expect(summary.strategies.map(({ id, state }) => [id, state])).toEqual([
      ['loops', 'stopped'],
      ['eats', 'stopped'],
      ['patches', 'running'],
    ]);
    expect(err).toMatch(/loops .*onBar did not end within 10 s/);
    expect(err).toMatch(/eats .*needed more than 256 MB of memory/);
    expect(summary).toMatchObject({ sessions: 1, reconciliation: { differences: 0 } });
    expect(summary.orders.filled).toBeGreaterThan(10);
    const bought = [...err.matchAll(/patches .*buy NVDA for (\S+)/g)].map(([, notional]) => notional);
    expect(new Set(bought)).toEqual(new Set(['100']));
    expect(code).toBe(1);
  },
  LONG_MS,
);

test(
  'a strategy that never returns from a hook does not delay the end of the run on SIGTERM',
  async () => {
    const folder = freshDir();
    writeFileSync(join(folder, 'loops.ts'), STRATEGIES.loops.replace('=== 4', '>= 1'));
    const file = join(folder, 'run.yaml');
    const entry = "- { id: loops, use: ./loops.ts, capital: '10000' }";
    writeFileSync(file, `mode: emulator\nisolation: { hookSeconds: 2 }\nstrategies:\n  ${entry}\n`);
    const when = ['--start', '2026-06-15T09:34:30', '--speed', '30', '--until', 'sessions:2'];
    const run = start(['run', file, ...when]);
    await run.line(/Ctrl-C stops in order/);
    await pause(2_500);
    run.child.kill('SIGTERM');
    const { code, signal } = await run.done;
    expect([code, signal]).toEqual([1, null]);
  },
  LONG_MS,
);
