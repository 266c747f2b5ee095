import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      'drover/strategy': here('src/strategy/index.ts'),
      'drover/testing': here('src/testing/index.ts'),
      drover: here('src/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run evm` and `npm run queue` install the servers that these need; `npm run long` plays whole days with the built program.
    exclude: [...configDefaults.exclude, 'test/evm/**', 'test/queue/**', 'test/**/*.long.test.ts'],
    setupFiles: ['test/setup.ts'],
    // They only end what hangs. No test rests on them: a machine may be slow, and busy with something else.
    testTimeout: 120_000,
    // Some tests watch programs by the time of the machine: what is wrong fails twice, and a second try is printed.
    retry: 1,
    hookTimeout: 120_000,
    // Many tests wait for programs that they have started: more workers than cores keep the cores at work.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
});
