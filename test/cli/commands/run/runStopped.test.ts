import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

const config = `strategies:
  - { id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }
  - { id: broken, use: ./broken.ts, capital: 1000 }
`;
const broken = `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'broken',
  description: 'Throws.',
  params: z.strictObject({}),
  data: () => ({}),
  create: () => ({
    onStart() {
      throw new Error('no luck');
    },
  }),
});
`;

test('a run goes on without a strategy that its own error stopped, and ends with exit 1', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  writeFileSync(join(cwd, 'broken.ts'), broken);
  const end = ['--until', '2026-06-15T09:40', '--speed', 'max', '--json'];
  const { code, out, err } = await drover(['run', 'run.yaml', ...end], { cwd });
  expect(err).toContain('no luck');
  expect(JSON.parse(out)).toMatchObject({
    orders: { sent: 1 },
    strategies: [
      { id: 'steady', state: 'running' },
      { id: 'broken', state: 'stopped', error: expect.stringContaining('no luck') as string },
    ],
  });
  expect(code).toBe(1);
});
