import { expect, test, vi } from 'vitest';

const cases: { name: string; run: () => Promise<void> }[] = [];
vi.mock('node:test', () => ({
  test: (name: string, run: () => Promise<void>) => void cases.push({ name, run }),
}));
await import('../../../../templates/strategy.test.ts');

test('the test file of the templates has two tests', () => expect(cases).toHaveLength(2));

test.each(cases)('$name', ({ run }) => run());
