import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGE = readFileSync('docs/when-something-is-wrong.md', 'utf8');
const REFERENCE = readFileSync('docs/commands-reference.md', 'utf8');
const FOR_ALL = ['--config', '--json', '--verbose'];

/** Command lines of the page, in its text and in its blocks. */
const LINES = [
  ...[...PAGE.matchAll(/`drover ([^`]+)`/g)].map(([, line = '']) => line),
  ...[...PAGE.matchAll(/^drover (.*?)(?: +#.*)?$/gm)].map(([, line = '']) => line),
];

/** Part of the reference about a command, from its usage to that of the next. */
const partOf = (words: readonly string[]): string | null => {
  for (let count = Math.min(words.length, 3); count > 0; count--) {
    const name = words.slice(0, count).join(' ');
    const [, part] =
      new RegExp(`\\*\\*\`drover ${name}(?=[ \`])([^]*?)(?=\\n\\*\\*\`drover |$)`).exec(REFERENCE) ?? [];
    if (part !== undefined) return part;
  }
  return null;
};

test('docs/when-something-is-wrong.md names only existing commands and flags', () => {
  expect(LINES.length).toBeGreaterThan(20);
  const unknown = LINES.filter((line) => {
    const words = line.split(' ');
    const part = partOf(words.filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-')));
    const flags = words.filter((word) => word.startsWith('--') && !FOR_ALL.includes(word));
    return part === null || flags.some((flag) => !part.includes(`\`${flag}`));
  });
  expect(unknown).toEqual([]);
});
