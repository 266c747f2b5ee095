import type { Command, Option } from 'commander';

/** Values of a flag or argument: words for completion, and files or folders. */
export type Values = Readonly<{ words: readonly string[]; paths: 'files' | 'folders' | null }>;

/** A flag. `value` is null if it takes none. */
export type FlagEntry = Readonly<{ names: readonly string[]; text: string; value: Values | null }>;

/** A command, identified by its words, such as `orders place`; the program itself is ''. */
export type CommandEntry = Readonly<{
  path: string;
  /** Alternatives for the last word. */
  aliases: readonly string[];
  text: string;
  flags: readonly FlagEntry[];
  arguments: readonly Values[];
  /** The last argument may be repeated. */
  isVariadic: boolean;
  commands: readonly CommandEntry[];
}>;

export const INTERVAL_WORDS = ['1m', '3m', '5m', '15m', '1h', '1d', '1w'];

/** Words that flags and arguments accept, by command and flag, or by flag alone. More follows a final `:` or `=`. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  '--mode': ['emulator', 'dry-run', 'live'],
  '--speed': ['max'],
  '--nights': ['skip', 'wait'],
  '--until': ['close', 'sessions:'],
  '--interval': INTERVAL_WORDS,
  '--fees': ['venue', 'none', 'bps:'],
  '--fill': ['venue', 'next-open', 'close'],
  '--slippage': ['none', 'bps:', 'spread:', 'volume:'],
  '--limit-fill': ['touch', 'through'],
  '--ambiguous': ['worst', 'best'],
  '--delisted': ['last', 'zero', 'error'],
  '--dividends': ['cash', 'tokens', 'price'],
  '--benchmark': ['none'],
  '--initial-risk': ['bps:', 'cash:'],
  '--of': ['account', 'strategies'],
  'optimise --of': [],
  'optimise --method': ['grid', 'random', 'sobol', 'tpe'],
  '--format': ['csv', 'f64'],
  '--prices': ['raw', 'splits', 'all'],
  '--zone': ['new-york', 'utc'],
  '--dates': ['dmy', 'mdy', 'ymd'],
  '--decimal': ['point', 'comma'],
  '--shares-of': ['ex-date', 'today'],
  '--sessions': ['regular', 'all'],
  'data export --sessions': ['regular', 'outside', 'all'],
  'orders place side': ['buy', 'sell'],
  'api method': ['GET', 'POST', 'DELETE'],
};

const FILES = /^(file|files|config|record|a|b|spec|symbol=file|name=file|model)$/;
const FOLDERS = /^(dir|folder|backup)$/;

/** Commands and flags of a program. `strategies`: names of the bundled ones. */
export function commandTable(program: Command, strategies: readonly string[]): CommandEntry {
  const own = program.options.map((option) => flagEntry(option, '', strategies));
  return entryOf(program, { path: '', inherited: own, strategies });
}

type Place = Readonly<{ path: string; inherited: readonly FlagEntry[]; strategies: readonly string[] }>;

function entryOf(command: Command, { path, inherited, strategies }: Place): CommandEntry {
  const own = path === '' ? [] : command.options.map((option) => flagEntry(option, path, strategies));
  const help: FlagEntry = { names: ['--help', '-h'], text: 'print this help', value: null };
  return {
    path,
    aliases: command.aliases(),
    text: command.description(),
    flags: [...own, ...inherited.filter(({ names }) => path === '' || !names.includes('--version')), help],
    arguments: command.registeredArguments.map((argument) => ({
      words: argument.argChoices ?? WORDS[`${path} ${argument.name()}`] ?? [],
      paths: pathsOf(argument.name()),
    })),
    isVariadic: command.registeredArguments.at(-1)?.variadic ?? false,
    commands: command.commands.map((child) =>
      entryOf(child, { path: `${path} ${child.name()}`.trim(), inherited, strategies }),
    ),
  };
}

function flagEntry(option: Option, path: string, strategies: readonly string[]): FlagEntry {
  const { long, short, description, flags } = option;
  const names = [long, short].filter((name) => name !== undefined);
  const [, placeholder] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  if (placeholder === undefined) return { names, text: description, value: null };
  const bundled = long === '--strategy' && placeholder === 'file' ? strategies : [];
  const words = option.argChoices ?? WORDS[`${path} ${long}`] ?? WORDS[long ?? ''] ?? bundled;
  return { names, text: description, value: { words, paths: pathsOf(placeholder) } };
}

const pathsOf = (placeholder: string): Values['paths'] =>
  FILES.test(placeholder) ? 'files' : FOLDERS.test(placeholder) ? 'folders' : null;

/** An entry and all entries below it. */
export const entriesOf = (entry: CommandEntry): CommandEntry[] => [
  entry,
  ...entry.commands.flatMap(entriesOf),
];
