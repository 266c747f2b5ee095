import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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
    setupFiles: ['test/setup.ts'],
    testTimeout: 20_000,
    // Left to itself it keeps a core free: half of a machine with two.
    maxWorkers: '100%',
  },
});
