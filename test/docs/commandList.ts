import type { Argument, Command, Option } from 'commander';
import { examplesOf } from '../../src/cli/wire.ts';
import { wrapped } from './wrapped.ts';

/** Every command of a program as Markdown: one heading per command that `drover` lists, one list per command. */
export const commandList = (program: Command): string =>
  [flagsOfAll(program), ...childrenOf(program).map(groupOf)].join('\n\n');

/** Examples of the help under a command. */
const exampleLines = (command: Command): string =>
  examplesOf(command)
    .map(([line, meaning]) => `# ${meaning}\ndrover ${line}`)
    .join('\n');

/** Flags that every command accepts. */
const flagsOfAll = (program: Command): string =>
  ['## Every command', listOf(ownOptions(program).map((option) => optionItem(program, option)))].join('\n\n');

/** A command that `drover` lists, with the commands below it. */
const groupOf = (command: Command): string =>
  [
    `## ${command.name()}`,
    `\`\`\`sh\n${exampleLines(command)}\n\`\`\``,
    ...leavesOf(command).map(commandText),
  ].join('\n\n');

/** The commands of a group that do something. A command that only groups others is described in theirs. */
export const leavesOf = (command: Command): Command[] => {
  const below = childrenOf(command).flatMap(leavesOf);
  return below.length === 0 || hasOwnUse(command) ? [command, ...below] : below;
};

/** True for a command of a group that can be called without one of those below it, such as `drover orders`. */
const hasOwnUse = (command: Command): boolean =>
  ownOptions(command).length > 0 || command.registeredArguments.length > 0;

function commandText(command: Command): string {
  const help = command.createHelp();
  const also = command.aliases().map((alias) => ` (also \`${alias}\`)`);
  const items = [
    ...command.registeredArguments.map((argument) => argumentItem(command, argument)),
    ...ownOptions(command).map((option) => optionItem(command, option)),
  ];
  const usage = help
    .commandUsage(command)
    .replace(' [options]', '')
    .replace(' [command]', '')
    .replace(/\|[\w-]+/g, '');
  const head = wrapped(`**\`${usage}\`**${also.join('')}: ${help.commandDescription(command)}`);
  return items.length === 0 ? head : `${head}\n\n${listOf(items)}`;
}

const argumentItem = (command: Command, argument: Argument): string =>
  `\`${argument.name()}\`: ${command.createHelp().argumentDescription(argument)}`;

const optionItem = (command: Command, option: Option): string =>
  `\`${option.flags}\`: ${command.createHelp().optionDescription(option)}${option.mandatory ? '; required' : ''}`;

const listOf = (items: readonly string[]): string => items.map((item) => wrapped(`- ${item}`)).join('\n');

export const childrenOf = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');

export const ownOptions = (command: Command): Option[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
