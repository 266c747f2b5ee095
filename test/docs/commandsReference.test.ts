import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { formatted } from '../formatted.ts';
import type { Process } from '../../src/process/context.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { commandList } from './commandList.ts';

const FILE = 'docs/commands-reference.md';
const LIST = /(<!-- commands: [^>]*-->\n)[^]*(<!-- end of commands -->)/;

/** After a change of a command or a flag: `npm run docs`. */
test('the command reference has every command and flag of the parser', async () => {
  const program = buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());
  const list = commandList(program);
  const written = readFileSync(FILE, 'utf8').replace(
    LIST,
    (_, begin: string, end: string) => `${begin}\n${list}\n\n${end}`,
  );
  for (const { name } of program.commands.map((command) => ({ name: command.name() })))
    expect(list).toContain(`## ${name}\n`);
  await expect(await formatted(FILE, written)).toMatchFileSnapshot(`../../${FILE}`);
});
