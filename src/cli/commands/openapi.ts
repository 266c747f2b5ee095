import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openApi } from '../../api/openapi.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';

/** `drover openapi`: prints the venue's OpenAPI document, or with `--out` writes it. @throws {ConfigError} when it cannot */
export function openapiCommand(
  { out }: Readonly<{ out?: string }>,
  { terminal, json, cwd }: CommandContext,
): Promise<number> {
  const document = openApi();
  const text = json ? toJson(document) : JSON.stringify(document, null, 2);
  if (out === undefined) terminal.out(text);
  else {
    write(resolve(cwd, out), `${text}\n`);
    terminal.err(`The document is in ${out}.`);
  }
  return Promise.resolve(EXIT.done);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new ConfigError(`--out: cannot write ${file}: ${messageOf(cause)}`, { file }, { cause });
  }
}
