import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const page = readFileSync('docs/testing.md', 'utf8');
const cases: { name: string; run: () => Promise<void> }[] = [];

vi.mock('node:test', () => ({
  test: (name: string, run: () => Promise<void>) => void cases.push({ name, run }),
}));
await import('../../docs/examples/protect.test.ts');

test('docs/testing.md shows the example as it is in the file', () => {
  expect(page).toContain(`\`\`\`ts\n${readFileSync('docs/examples/protect.test.ts', 'utf8')}\`\`\``);
});

test('the example of docs/testing.md has two tests', () => expect(cases).toHaveLength(2));

test.each(cases)('$name', ({ run }) => run());
