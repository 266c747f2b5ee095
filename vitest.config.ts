import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const alias = {
  'drover/strategy': here('src/strategy/index.ts'),
  'drover/testing': here('src/testing/index.ts'),
  drover: here('src/index.ts'),
};

/** What is no part of `npm test`: `npm run evm`, `queue` and `nodes` install programs, `npm run long` plays whole days. */
const others = ['test/evm/**', 'test/queue/**', 'test/nodes/**', 'test/**/*.long.test.ts'];

/** Files of tests whose text fits. */
export const testsWith = (text: RegExp): string[] =>
  readdirSync(here('test'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('test', file))
    .filter((file) => file.endsWith('.test.ts') && text.test(readFileSync(here(file), 'utf8')));

const all = testsWith(/^/);

/** Files that start programs, threads or a browser, derive keys at full cost or play whole days: `npm run heavy`. */
const tagged = testsWith(/@module-tag heavy\b/);
const heavy = all.filter((file) => tagged.includes(file) || /^test\/(browser|e2e)\b/.test(file));

/** Files with a process of their own, because they replace modules. */
const own = testsWith(/\bvi\.(mock|doMock)\(/).filter((file) => !heavy.includes(file));

const shared = all.filter((file) => !heavy.includes(file) && !own.includes(file));

export const tags = [
  {
    name: 'long',
    description: 'Left out of `npm test`, whose short share of it is beside it, and part of `npm run long`.',
  },
  { name: 'heavy', description: 'A file that `npm run heavy` runs, with test/browser and test/e2e.' },
];

const project = (name: string, isolate: boolean, include: string[]) => ({
  resolve: { alias },
  test: {
    name,
    isolate,
    include,
    exclude: others,
    setupFiles: ['test/setup.ts'],
    tags,
    // They only end what hangs. No test rests on them: a machine may be slow, and busy with something else.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Some tests watch programs by the time of the machine: what is wrong fails twice, and a second try is printed.
    retry: 1,
  },
});

export default defineConfig({
  test: {
    // Many tests wait for programs that they have started: more workers than cores keep the cores at work.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // To load `src` again for each file takes a third of the time: the others share a process, and what it has loaded.
    projects: [project('shared', false, shared), project('own', true, own), project('heavy', true, heavy)],
  },
});
