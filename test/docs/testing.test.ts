import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const page = readFileSync('docs/testing.md', 'utf8');
const cases: { name: string; run: () => Promise<void> }[] = [];

vi.mock('node:test', () => ({
  test: (name: string, run: () => Promise<void>) => void cases.push({ name, run }),
}));
await import('../../docs/examples/protect.test.ts');

test('the page shows the example as it is', () => {
  expect(page).toContain(`\`\`\`ts\n${readFileSync('docs/examples/protect.test.ts', 'utf8')}\`\`\``);
});

test('the example has two tests', () => expect(cases).toHaveLength(2));

test.each(cases)('$name', ({ run }) => run());
