import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { configJsonSchema } from '../../../src/cli/config/schema.ts';

const FILE = 'config/drover.schema.json';

/** After a change of the schema: `npx vitest run test/cli/config/schema.test.ts -u`. */
test('the JSON schema for editors is generated from the schema of the program', async () => {
  const style = await resolveConfig(FILE);
  const text = await format(JSON.stringify(configJsonSchema()), { ...style, filepath: FILE });
  await expect(text).toMatchFileSnapshot(`../../../${FILE}`);
});
