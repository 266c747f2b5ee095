import { expect, test } from 'vitest';
import { formatted } from '../../formatted.ts';
import { configJsonSchema } from '../../../src/cli/config/schema.ts';

const FILE = 'config/drover.schema.json';

/** After a change of the schema: `npx vitest run test/cli/config/schema.test.ts -u`. */
test('the schema for editors is the one that the program checks by', async () => {
  const text = await formatted(FILE, JSON.stringify(configJsonSchema()));
  await expect(text).toMatchFileSnapshot(`../../../${FILE}`);
});
