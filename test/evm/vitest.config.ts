import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests that start an EVM node. They wait on its clock, so they have their own command. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/evm/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
  },
});
