import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { configJsonSchema } from '../../../src/cli/config/schema.ts';

const FILE = 'config/drover.schema.json';

/** After a change of the schema: `npx vitest run test/cli/config/schema.test.ts -u`. */
test('the schema for editors is the one that the program checks by', async () => {
  const style = await resolveConfig(FILE);
  const text = await format(JSON.stringify(configJsonSchema()), { ...style, filepath: FILE });
  await expect(text).toMatchFileSnapshot(`../../../${FILE}`);
});
