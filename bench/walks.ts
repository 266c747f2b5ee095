import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { reportingEntries } from './entries.ts';
import type { Result } from './result.ts';

/** Effort of following a walk in the debugger: `moves` between files, `rooms` (different files), calls of functions. */
export type Steps = Readonly<{ moves: number; rooms: number; calls: number }>;

const walksSchema = z.record(z.string(), z.array(z.string()));

/** Plays the world of `walkWorld.ts` with reporting functions, in its own process; returns its walks by name. */
export async function recordWalks(): Promise<ReadonlyMap<string, readonly string[]>> {
  const outfile = join('dist', 'walks', 'walkWorld.js');
  await build({
    entryPoints: ['bench/walkWorld.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { 'drover/strategy': './src/strategy/index.ts' },
    plugins: [reportingEntries],
    logLevel: 'warning',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { maxBuffer: 64 << 20 });
  return new Map(Object.entries(walksSchema.parse(JSON.parse(stdout))));
}

export function stepsOf(walk: readonly string[]): Steps {
  const files = walk.map((place) => place.slice(0, place.indexOf(':')));
  const moves = files.filter((file, index) => index > 0 && file !== files[index - 1]).length;
  return { moves, rooms: new Set(files).size, calls: walk.length };
}

/** Benchmarks how many functions and files of `src` one order, bar and request pass through. */
export async function walks(): Promise<Result[]> {
  return [...(await recordWalks())].map(([name, walk]) => {
    const { moves, rooms, calls } = stepsOf(walk);
    return {
      name: `walk-${name.replaceAll(' ', '-')}`,
      value: moves,
      unit: `moves, ${rooms} rooms, ${calls} calls`,
    };
  });
}
