import { entriesOf, type CommandEntry, type FlagEntry, type Values } from './table.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A script with which a shell completes command lines from `table`. It starts no program. */
export const completionScript = (shell: Shell, table: CommandEntry): string =>
  ({ bash: bashScript, zsh: zshScript, fish: fishScript })[shell](table);

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const lastWord = ({ path }: CommandEntry): string => path.split(' ').at(-1) ?? '';

/** Path and alias paths of a command: `unfreeze` and `release`. */
const pathsTo = (entry: CommandEntry): string[] => [
  entry.path,
  ...entry.aliases.map((alias) => [...entry.path.split(' ').slice(0, -1), alias].join(' ')),
];

const namesBelow = ({ commands }: CommandEntry): string[] =>
  commands.flatMap((child) => [lastWord(child), ...child.aliases]);

/** Values as arguments of `_drover_give`: `-f`, `-d` or `-`, then the words. */
const giveArguments = ({ words, paths }: Values): string =>
  [{ files: '-f', folders: '-d', none: '-' }[paths ?? 'none'], ...words.map(quoted)].join(' ');

/** Walks the words before the cursor, and offers possible continuations. */
const BASH_COMPLETER = `_drover() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path= word last= commands= flags= i count=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ -n $last ]]; then last=; continue; fi
    if [[ $word == -* ]]; then
      cur= _drover_value "$path/$word" && last=$word
    elif ! _drover_enter "\${path:+$path }$word"; then
      ((count++))
    fi
  done
  COMPREPLY=()
  [[ $cur == = ]] && cur=
  if [[ -n $last ]]; then
    _drover_value "$path/$last"
    return
  fi
  _drover_names "$path"
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $commands && $count == 0 ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  else
    _drover_argument "$path/$count"
  fi
}
`;

function bashScript(table: CommandEntry): string {
  const entries = entriesOf(table);
  const valued = ({ path, flags }: CommandEntry) =>
    flags.flatMap(({ names, value }) =>
      value
        ? [
            `    ${names.map((name) => quoted(`${path}/${name}`)).join(' | ')}) _drover_give ${giveArguments(value)} ;;`,
          ]
        : [],
    );
  const positional = (entry: CommandEntry) =>
    entry.arguments.map((values, index) => {
      const isLast = entry.isVariadic && index === entry.arguments.length - 1;
      return `    ${quoted(`${entry.path}/${index}`)}${isLast ? ` | ${quoted(`${entry.path}/`)}*` : ''}) _drover_give ${giveArguments(values)} ;;`;
    });
  return `# bash completion of drover, written by \`drover completion bash\`
_drover_give() {
  local paths=$1 word
  shift
  COMPREPLY=($(compgen -W "$*" -- "$cur"))
  for word in "\${COMPREPLY[@]}"; do [[ $word == *[:=] ]] && compopt -o nospace 2>/dev/null; done
  [[ $paths == - ]] && return
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY+=($(compgen "$paths" -- "$cur"))
}
_drover_value() {
  case $1 in
${entries.flatMap(valued).join('\n')}
    *) return 1 ;;
  esac
}
_drover_argument() {
  case $1 in
${entries.flatMap(positional).join('\n')}
  esac
}
_drover_enter() {
  case $1 in
${entries
  .filter(({ path }) => path !== '')
  .map((entry) => `    ${pathsTo(entry).map(quoted).join(' | ')}) path=${quoted(entry.path)} ;;`)
  .join('\n')}
    *) return 1 ;;
  esac
}
_drover_names() {
  case $1 in
${entries
  .map(
    (entry) =>
      `    ${quoted(entry.path)}) commands=${quoted(namesBelow(entry).join(' '))} flags=${quoted(entry.flags.flatMap(({ names }) => names).join(' '))} ;;`,
  )
  .join('\n')}
  esac
}
${BASH_COMPLETER}complete -F _drover drover
`;
}

/** Text inside the brackets of zsh's `_arguments`. */
const zshText = (text: string): string => text.replace(/[[\]:\\]/g, String.raw`\$&`);

const zshAction = ({ words, paths }: Values): string => {
  const listed = words.map((word) => word.replaceAll(':', String.raw`\:`)).join(' ');
  if (paths === null) return words.length > 0 ? `(${listed})` : ' ';
  const files = paths === 'folders' ? '_files -/' : '_files';
  return words.length > 0 ? `_alternative "words\\:word\\:(${listed})" "files\\:file\\:${files}"` : files;
};

const zshFlag = ({ names, text, value }: FlagEntry): string[] =>
  names.map((name) => quoted(`*${name}[${zshText(text)}]${value ? `:value:${zshAction(value)}` : ''}`));

function zshScript(table: CommandEntry): string {
  const functionOf = (entry: CommandEntry): string =>
    `_drover${entry.path === '' ? '' : `_${entry.path.replaceAll(/[ -]/g, '_')}`}`;
  const functions = entriesOf(table).map((entry) => {
    const flags = entry.flags.flatMap(zshFlag);
    const name = functionOf(entry);
    if (entry.commands.length === 0) {
      const values = entry.arguments.map((each, index) =>
        quoted(
          `${entry.isVariadic && index === entry.arguments.length - 1 ? '*' : ''}:value:${zshAction(each)}`,
        ),
      );
      return `${name}() {\n  _arguments -s \\\n    ${[...flags, ...values].join(' \\\n    ')}\n}`;
    }
    const listed = entry.commands.flatMap((child) =>
      [lastWord(child), ...child.aliases].map((word) => `    ${quoted(`${word}:${child.text}`)}`),
    );
    const cases = entry.commands.map(
      (child) => `        ${[lastWord(child), ...child.aliases].join('|')}) ${functionOf(child)} ;;`,
    );
    return `${name}() {
  local line state ret=1 curcontext=$curcontext
  local -a commands=(
${listed.join('\n')}
  )
  _arguments -C -s \\
    ${[...flags, quoted('1: :->command'), quoted('*:: :->rest')].join(' \\\n    ')} && ret=0
  case $state in
    command) _describe command commands && ret=0 ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac
      ret=0 ;;
  esac
  return ret
}`;
  });
  return `#compdef drover
# zsh completion of drover, written by \`drover completion zsh\`
${functions.join('\n')}
if [[ $funcstack[1] == _drover ]]; then _drover "$@"; else compdef _drover drover; fi
`;
}

const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

const FISH_PATHS = { files: '(__fish_complete_path)', folders: '(__fish_complete_directories)' };

function fishScript(table: CommandEntry): string {
  const entries = entriesOf(table);
  const at = (entry: CommandEntry) => {
    const paths = pathsTo(entry).map((path) => `"${path}"`);
    return `complete -c drover -n ${fishQuoted(`__drover_at ${paths.join(' ')}`)}`;
  };
  const given = ({ words, paths }: Values) => {
    const all = [...words, ...(paths === null ? [] : [FISH_PATHS[paths]])];
    return all.length > 0 ? ` -a ${fishQuoted(all.join(' '))}` : '';
  };
  const flagLine = (entry: CommandEntry, { names, text, value }: FlagEntry): string => {
    const named = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    return `${at(entry)} ${named.join(' ')}${value ? ` -x${given(value)}` : ''} -d ${fishQuoted(text)}`;
  };
  const lines = entries.flatMap((entry) => [
    ...entry.commands.flatMap((child) =>
      [lastWord(child), ...child.aliases].map(
        (word) => `${at(entry)} -a ${fishQuoted(word)} -d ${fishQuoted(child.text)}`,
      ),
    ),
    ...entry.flags.map((flag) => flagLine(entry, flag)),
    ...[...new Set(entry.arguments.map(given))].flatMap((values) =>
      values === '' ? [] : [`${at(entry)}${values}`],
    ),
  ]);
  const known = entries.flatMap(pathsTo).filter((path) => path !== '');
  return `# fish completion of drover, written by \`drover completion fish\`
function __drover_at
    set -l words (commandline -opc)
    set -l path ""
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
        else if test "$word" = --config
            set skip 1
        else if contains -- (string trim "$path $word") ${known.map(fishQuoted).join(' ')}
            set path (string trim "$path $word")
        end
    end
    contains -- "$path" $argv
end
complete -c drover -f
${lines.join('\n')}
`;
}
