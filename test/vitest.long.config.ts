import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { alias, tags, testsWith } from '../vitest.config.ts';

/** Tests of which `npm test` skips a part, by the tag `long` or by the number of cases. */
const shortened = testsWith(/\['long'\]|\/(runs|naive)\.ts'/);

/** Whole days of the built program: killed, halted, on a full disk, with strategies that hang. They take minutes, so they have their own command. */
export default defineConfig({
  resolve: { alias },
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.long.test.ts', ...shortened],
    setupFiles: ['test/setup.ts'],
    tags,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
