import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** What could differ between one Node and another, and takes seconds. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/nodes/**/*.test.ts', 'test/store/sqlite.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
