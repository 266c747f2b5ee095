import { resolve } from 'node:path';
import { openApi } from '../../../api/openapi.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { toJson } from '../../../process/output.ts';
import { OPENAPI, requirePlace, writeWhole } from '../../../process/files.ts';

/** `drover openapi`: prints the venue's OpenAPI document, or with `--out` writes it. @throws {ConfigError} when it cannot */
export function openapiCommand(
  { out }: Readonly<{ out?: string }>,
  { terminal, json, cwd }: CommandContext,
): Promise<number> {
  const document = openApi();
  const text = json ? toJson(document) : JSON.stringify(document, null, 2);
  if (out === undefined) terminal.out(text);
  else {
    const path = resolve(cwd, out);
    requirePlace(path, '--out', OPENAPI);
    writeWhole(path, `${text}\n`, '--out');
    terminal.err(`Wrote the document to ${out}.`);
  }
  return Promise.resolve(EXIT.done);
}
