import { expect, test } from 'vitest';
import { formatted } from '../../formatted.ts';
import { configJsonSchema } from '../../../src/app/config/schema.ts';

const FILE = 'config/drover.schema.json';

/** After a change of the schema: `npx vitest run test/app/config/schema.test.ts -u`. */
test('the JSON schema for editors is generated from the schema of the program', async () => {
  const text = await formatted(FILE, JSON.stringify(configJsonSchema()));
  await expect(text).toMatchFileSnapshot(`../../../${FILE}`);
});
