/** @module-tag heavy */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MemoryWatch } from '../../../src/app/isolation/memoryWatch.ts';
import { SIGNAL } from '../../../src/app/realm/messages.ts';
import { PrintLimit } from '../../../src/app/isolation/threadOutput.ts';
import { heldBytes } from '../../../src/app/isolation/threadPort.ts';
import { Stage } from '../../engine/stage.ts';
import { isolated, sourceOf, startIsolated } from './isolated.ts';

const MB = 1024 * 1024;

describe('the memory of a thread between two hooks', () => {
  test('ends the thread when promises take more than the limit', async () => {
    const hooks =
      '{ onStart() { void (async () => { const all = []; for (;;) all.push(await new Uint8Array(1e6).fill(1)); })(); } }';
    const strategies = [await isolated('tried', sourceOf(hooks))];
    const stage = await new Stage({ more: { strategies } }).play(10);
    const { stopped } = stage.runner.kernel.context.accountState;
    const before = process.memoryUsage.rss();
    for (let tries = 0; tries < 100 && stopped.size === 0; tries++) {
      await setTimeout(250);
      await stage.pass(1_000);
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(1_000 * MB);
    expect(stopped.get('tried')).toContain('more than 256 MB');
    await stage.stop();
  });

  test('is measured after a garbage collection once above the limit', () => {
    let rows: unknown[] | null = Array.from({ length: 500_000 }, (_, at) => ({ at }));
    expect(heldBytes(0)).toBeGreaterThan(16 * MB);
    const held = heldBytes(Infinity);
    expect(rows).toHaveLength(500_000);
    rows = null;
    expect(heldBytes(Infinity)).toBeGreaterThan(held - 8 * MB);
    expect(heldBytes(0)).toBeLessThan(held - 8 * MB);
  });

  test("is taken from the thread's report, or from the growth of the process if the thread is silent", () => {
    const signals = new Int32Array(new SharedArrayBuffer(4 * Object.keys(SIGNAL).length));
    let resident = 100 * MB;
    const watch = new MemoryWatch({ signals, maxBytes: 64 * MB, residentBytes: () => resident });
    const report = (mb: number) => {
      Atomics.store(signals, SIGNAL.heldKb, mb * 1024);
      Atomics.add(signals, SIGNAL.reports, 1);
    };
    expect(watch.isTooMuch()).toBe(false);
    report(10);
    resident = 900 * MB;
    expect(watch.isTooMuch()).toBe(false);
    expect(watch.isTooMuch()).toBe(false);
    resident += 65 * MB;
    expect(watch.isTooMuch()).toBe(true);
    report(10);
    expect(watch.isTooMuch()).toBe(false);
    report(65);
    expect(watch.isTooMuch()).toBe(true);
  });
});

describe('the output of a strategy', () => {
  const limited = () => {
    const printed: string[] = [];
    const at = { ms: 0 };
    return {
      printed,
      at,
      limit: new PrintLimit(
        (text) => printed.push(text),
        () => at.ms,
      ),
    };
  };

  test('is limited to 600 lines a minute, and the lines left out are counted', () => {
    const { printed, at, limit } = limited();
    for (let line = 0; line < 1_000; line++) limit.take(`line ${line}\n`);
    expect(printed).toHaveLength(601);
    expect(printed.at(-1)).toMatch(/more than 600 lines .* the rest is left out/);
    at.ms = 60_000;
    limit.settle();
    limit.take('again\n');
    expect(printed.slice(601)).toEqual(['(400 lines were left out)\n', 'again\n']);
  });

  test('is limited in one text of many lines, and in one long line', () => {
    const { printed, limit } = limited();
    limit.take(`${'short\n'.repeat(700)}${'x'.repeat(1_000_000)}\n`);
    limit.take('x\n'.repeat(1_000));
    limit.flush();
    expect(printed.join('').length).toBeLessThan(10_000);
    expect(printed.at(-1)).toBe('(1101 lines were left out)\n');
  });

  test('is cut if one text is longer than a minute allows, and its rest becomes one line', () => {
    const { printed, at, limit } = limited();
    limit.take(`${'a\n'.repeat(10)}${'b'.repeat(60_000)}\n${'\n'.repeat(50_000)}`);
    expect(printed.join('')).toMatch(/^(a\n){10}b{60000}\n\n+\(more than 600 lines/);
    at.ms = 61_000;
    limit.settle();
    expect(printed.at(-1)).toMatch(/^\(\d+ lines were left out\)\n$/);
  });

  test('is limited when it comes from its thread', async () => {
    const printed: string[] = [];
    const source = sourceOf('{}', "for (let at = 0; at < 5_000; at++) console.log('line', at);");
    const loud = await startIsolated(source, { print: (text) => printed.push(text) });
    loud.load({}, () => new Error('unfit'));
    await loud.close();
    const lines = printed
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('line'));
    expect(lines).toHaveLength(600);
    expect(printed.join('')).toMatch(/\(4400 lines were left out\)/);
  });
});
