import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      'drover/strategy': here('src/strategy/index.ts'),
      drover: here('src/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    // They start a node, which `npm run evm` installs.
    exclude: [...configDefaults.exclude, 'test/evm/**'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 20_000,
    // Many tests wait for programs that they have started: more workers than cores keep the cores at work.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
});
