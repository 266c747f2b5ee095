import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatted } from '../formatted.ts';
import { ALARMS } from '../../src/engine/state/alarmCodes.ts';
import { wrapped } from './wrapped.ts';

const FILE = 'docs/when-something-is-wrong.md';
const LIST = /(<!-- alarms: [^>]*-->\n)[^]*(<!-- end of alarms -->)/;

/** After a change of an alarm: `npm run docs`. */
test('docs/when-something-is-wrong.md has every alarm code with the command that helps, or why none does', async () => {
  const items = Object.entries(ALARMS).map(([code, entry]) => {
    const help = 'command' in entry ? `\`${entry.command}\`` : entry.without;
    return wrapped(`- \`${code}\` (${entry.severity}): ${help}`);
  });
  const written = readFileSync(FILE, 'utf8').replace(
    LIST,
    (_, begin: string, end: string) => `${begin}\n${items.join('\n')}\n\n${end}`,
  );
  expect(written).toContain('`EXIT_NOT_SOLD` (critical)');
  await expect(await formatted(FILE, written)).toMatchFileSnapshot(`../../${FILE}`);
});
