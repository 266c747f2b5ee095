import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import type { Process } from '../../src/process/context.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { manPage } from './manPage.ts';

const program = buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());

/** After a change of a command or a flag: `npm run docs`. */
test('the man page has every command and flag of the parser', async () => {
  const page = manPage(program);
  for (const command of program.commands)
    expect(page).toContain(`.SS drover ${command.name().replaceAll('-', '\\-')}`);
  await expect(page).toMatchFileSnapshot('../../docs/drover.1');
});

const hasMandoc = () => {
  try {
    execFileSync('groff', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

test.skipIf(!hasMandoc())('groff reads the man page without a warning', () => {
  const out = execFileSync('groff', ['-man', '-Tutf8', '-ww', '-z', 'docs/drover.1'], { encoding: 'utf8' });
  expect(out).toBe('');
});
