import type { Command } from 'commander';
import { examplesOf } from '../../src/cli/wire.ts';
import { childrenOf, leavesOf, ownOptions } from './commandList.ts';

/** Text escaped for roff: no control line, and hyphens that can be copied. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(['.])/gm, '\\&$1');

const item = (term: string, text: string): string => `.TP\n.B ${roff(term)}\n${roff(text)}`;

const exampleLines = (command: Command): string =>
  examplesOf(command)
    .map(([line, meaning]) => item(`drover ${line}`, meaning))
    .join('\n');

function leafText(command: Command): string {
  const help = command.createHelp();
  const items = [
    ...command.registeredArguments.map((argument) =>
      item(argument.name(), help.argumentDescription(argument)),
    ),
    ...ownOptions(command).map((option) => item(option.flags, help.optionDescription(option))),
  ];
  return [`.SS ${roff(help.commandUsage(command))}`, roff(help.commandDescription(command)), ...items].join(
    '\n',
  );
}

/** The commands of a program as a page for man(1). */
export function manPage(program: Command): string {
  const titles = new Set(childrenOf(program).map((command) => command.helpGroup()));
  const groups = [...titles].map((title) => {
    const members = childrenOf(program).filter((command) => command.helpGroup() === title);
    const texts = members.map((command) =>
      [...leavesOf(command).map(leafText), exampleLines(command)].join('\n'),
    );
    return [`.SH ${title.replace(/:$/, '').toUpperCase()}`, ...texts].join('\n');
  });
  return `${[
    '.\\" Written by `npm run docs`.',
    '.TH DROVER 1 "" "drover" "User Commands"',
    '.SH NAME',
    `drover \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    '.B drover',
    '.I command',
    '[options]',
    '.SH OPTIONS OF EVERY COMMAND',
    ...ownOptions(program).map((option) => item(option.flags, option.description)),
    ...groups,
    '.SH EXIT STATUS',
    ...[
      ['0', 'done'],
      ['1', 'the work failed'],
      ['2', 'wrong usage or config'],
      ['3', 'the venue refused, or is unreachable'],
      ['4', 'refused by a safety rule'],
      ['130', 'interrupted'],
    ].map(([code = '', text = '']) => item(code, text)),
    '.SH EXAMPLES',
    exampleLines(program),
    '.SH ENVIRONMENT',
    item('DROVER__SECTION__KEY', 'a value of the config, such as DROVER__LIMITS__DAYLOSS'),
    item('DROVER_API_KEY, DROVER_API_SECRET, DROVER_WALLET_KEY', 'secrets, which no config holds'),
  ].join('\n')}\n`;
}
