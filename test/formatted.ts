import { readFileSync } from 'node:fs';
import { format, type FormatConfig } from 'oxfmt';

const STYLE = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as FormatConfig;

/** Text of a file in the style that `npm run lint` asks for. */
export async function formatted(file: string, text: string, style: FormatConfig = {}): Promise<string> {
  const { code, errors } = await format(file, text, { ...STYLE, ...style });
  if (errors.length > 0) throw new Error(`${file} cannot be formatted: ${JSON.stringify(errors)}`);
  return code;
}
