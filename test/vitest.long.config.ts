import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Whole days of the built program: killed, halted, on a full disk, with strategies that hang. Minutes, so a command of their own. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.long.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
