import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests that could differ between versions of Node, and take seconds. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/nodes/**/*.test.ts', 'test/store/sqlite.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
