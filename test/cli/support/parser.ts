import type { Command } from 'commander';
import { vi } from 'vitest';
import type { Process } from '../../../src/process/context.ts';
import { buildProgram } from '../../../src/cli/program.ts';

const program = buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());

/** Reason why the parser refuses a command line; null if it accepts it. */
export function problemOf(line: string): string | null {
  const [name, ...words] = line.split(' ');
  let command: Command = program;
  while (words.length > 0 && words[0] !== undefined) {
    const below = command.commands.find((each) => [each.name(), ...each.aliases()].includes(words[0] ?? ''));
    if (below === undefined) break;
    [command] = [below, words.shift()];
  }
  if (name !== 'drover' || command === program) return 'is no command';
  if (command.commands.length > 0 && command.registeredArguments.length === 0)
    return 'does nothing by itself';
  const given: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('--')) given.push(word);
    else {
      const flag = [...command.options, ...program.options].find(({ long }) => long === word);
      if (flag === undefined) return `has no flag ${word}`;
      if (flag.required) words.shift();
    }
  }
  const missing = command.registeredArguments.find(
    ({ required }, index) => required && given[index] === undefined,
  );
  if (missing) return `lacks <${missing.name()}>`;
  const takesMore = command.registeredArguments.some(({ variadic }) => variadic);
  return given.length > command.registeredArguments.length && !takesMore ? 'takes fewer arguments' : null;
}
