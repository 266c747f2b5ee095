import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatted } from '../formatted.ts';
import { SECRET_VARIABLE_NAMES } from '../../src/process/environment.ts';
import { configJsonSchema } from '../../src/app/config/schema.ts';
import { configKeys } from './configKeys.ts';

const FILE = 'docs/config.md';
const KEYS = /(<!-- keys: [^>]*-->\n)[^]*(<!-- end of keys -->)/;
const page = readFileSync(FILE, 'utf8');

/** After a change of the schema: `npx vitest run test/docs/config.test.ts -u`. */
test('docs/config.md has every key of the config with its type, default and meaning', async () => {
  const keys = configKeys(configJsonSchema());
  const written = page.replace(KEYS, (_, begin: string, end: string) => `${begin}\n${keys}\n\n${end}`);
  await expect(await formatted(FILE, written, { proseWrap: 'always', printWidth: 118 })).toMatchFileSnapshot(
    `../../${FILE}`,
  );
});

test('docs/config.md names every secret that the environment may hold', () => {
  for (const name of SECRET_VARIABLE_NAMES) expect(page).toContain(`\`${name}\``);
});
