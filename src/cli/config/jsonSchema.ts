import { configSchema } from './schema.ts';
import { jsonSchemaOf, type JsonSchema } from './schemaProblems.ts';

/** JSON Schema by which editors complete and check config files: `config/drover.schema.json`. */
export const configJsonSchema = (): JsonSchema & Readonly<{ title: string }> => ({
  title: 'drover config',
  ...jsonSchemaOf(configSchema),
});
