import type { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import type { Process } from '../../../../src/process/context.ts';
import { buildProgram } from '../../../../src/cli/program.ts';
import { examplesOf } from '../../../../src/cli/wire.ts';
import { drover } from '../../support/commandLine.ts';

const build = () => buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());
const program = build();
const titles = [...new Set(program.commands.map((command) => command.helpGroup()))];

test.each(program.commands.map((command) => [command.name(), command] as const))(
  '%s is in a group of the help, and has an example',
  (_name, command) => {
    expect(command.helpGroup()).toMatch(/:$/);
    expect(examplesOf(command)).not.toEqual([]);
  },
);

test('the help lists the groups in their order, with examples at its end', async () => {
  const { out } = await drover(['--help']);
  expect([...out.matchAll(/^\S.*:$/gm)].map(([title]) => title)).toEqual([
    'Options:',
    ...titles,
    'Examples:',
  ]);
  for (const title of titles) {
    const members = program.commands.filter((command) => command.helpGroup() === title);
    const [, listed = ''] = out.split(`\n${title}\n`);
    const own = (listed.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z-]+)/gm);
    expect([...own].map(([, name]) => name).filter((name) => name !== 'help')).toEqual(
      members.map((command) => command.name()),
    );
  }
});

test('the help of a command has its examples', async () => {
  const { out } = await drover(['run', '--help']);
  expect(out).toContain('\n    drover run my.yaml --state state ');
});

/** Words of a command line, without shell quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );

const silenced = (command: Command): Command => {
  command.commands.forEach(silenced);
  return command.commands.length > 0 ? command : command.action(vi.fn());
};

test.each(
  [program, ...program.commands].flatMap((command) =>
    examplesOf(command).map(([line]) => [command.name(), line] as const),
  ),
)('the parser takes the example of "%s": %s', async (name, line) => {
  const words = wordsOf(line.replace(/ > .*/, ''));
  if (name !== 'drover') expect(words[0]).toBe(name);
  await silenced(build()).parseAsync(words, { from: 'user' });
});
