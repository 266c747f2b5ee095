import type { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { EXAMPLES, HELP_GROUPS } from '../../../../src/cli/commands/shell/help.ts';
import type { Process } from '../../../../src/process/context.ts';
import { buildProgram } from '../../../../src/cli/program.ts';
import { drover } from '../../support/commandLine.ts';

const build = () => buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());
const names = build().commands.map((command) => command.name());

test('every command is in one group of the help, and has an example', () => {
  expect(Object.values(HELP_GROUPS).flat().toSorted()).toEqual(names.toSorted());
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(['', ...names].toSorted());
});

test('the help lists the groups in their order, with examples at its end', async () => {
  const { out } = await drover(['--help']);
  const titles = [...out.matchAll(/^\S.*:$/gm)].map(([title]) => title);
  expect(titles).toEqual(['Options:', ...Object.keys(HELP_GROUPS), 'Examples:']);
  for (const [title, members] of Object.entries(HELP_GROUPS)) {
    const [, listed = ''] = out.split(`\n${title}\n`);
    const own = (listed.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z-]+)/gm);
    expect([...own].map(([, name]) => name).filter((name) => name !== 'help')).toEqual(members);
  }
});

test('the help of a command has its examples', async () => {
  const { out } = await drover(['run', '--help']);
  expect(out).toContain('\n    drover run my.yaml --state state ');
});

/** Words of a command line, without the quotes of a shell. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );

const silenced = (command: Command): Command => {
  command.commands.forEach(silenced);
  return command.commands.length > 0 ? command : command.action(vi.fn());
};

test.each(
  Object.entries(EXAMPLES).flatMap(([name, examples]) => examples.map(([line]) => [name, line] as const)),
)('the parser takes the example of "%s": %s', async (name, line) => {
  const words = wordsOf(line.replace(/ > .*/, ''));
  if (name !== '') expect(words[0]).toBe(name);
  await silenced(build()).parseAsync(words, { from: 'user' });
});
