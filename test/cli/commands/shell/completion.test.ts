/** @module-tag heavy */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test, vi } from 'vitest';
import { commandTable, entriesOf, WORDS } from '../../../../src/cli/commands/shell/table.ts';
import { SHELLS, type Shell } from '../../../../src/cli/commands/shell/scripts.ts';
import type { Process } from '../../../../src/process/context.ts';
import { buildProgram } from '../../../../src/cli/program.ts';
import { drover } from '../../support/commandLine.ts';

const program = buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());
const table = commandTable(program, ['dca']);

const isInstalled = (name: string): boolean => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const folder = mkdtempSync(join(tmpdir(), 'drover-completion-'));
mkdirSync(join(folder, 'state-of-mine'));
writeFileSync(join(folder, 'my-config.yaml'), '');
const scripts = {} as Record<Shell, string>;
for (const shell of SHELLS) {
  const { out, code } = await drover(['completion', shell]);
  expect(code).toBe(0);
  scripts[shell] = join(folder, shell === 'zsh' ? '_drover' : `drover.${shell}`);
  writeFileSync(scripts[shell], out);
}

describe('the table', () => {
  test('has only words that the help of their flag or argument names', () => {
    const texts = (command: Command, path = ''): [string, string][] => [
      ...command.options.flatMap(({ long, description }): [string, string][] => [
        [`${path} ${long}`.trim(), description],
        [long ?? '', description],
      ]),
      ...command.registeredArguments.map((each): [string, string] => [
        `${path} ${each.name()}`,
        each.description,
      ]),
      ...command.commands.flatMap((child) => texts(child, `${path} ${child.name()}`.trim())),
    ];
    const known = texts(program);
    for (const [key, words] of Object.entries(WORDS)) {
      const described = known.filter(([name]) => name === key).map(([, text]) => text);
      expect(described, key).not.toEqual([]);
      for (const word of words)
        expect(
          described.some((text) => text.includes(word.replace(/[:=]$/, ''))),
          `${key} ${word}`,
        ).toBe(true);
    }
  });

  test('has every command of the parser', () => {
    const names = (command: Command, path = ''): string[] =>
      command.commands.flatMap((child) => {
        const own = `${path} ${child.name()}`.trim();
        return [own, ...names(child, own)];
      });
    expect(entriesOf(table).map(({ path }) => path)).toEqual(['', ...names(program)]);
  });
});

/** Words that bash offers for a line with the cursor at its end. */
function inBash(line: string): string[] {
  const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drover; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script, 'bash', scripts.bash, ...line.split(' ')], {
    cwd: folder,
    encoding: 'utf8',
  });
  return out.split('\n').filter((word) => word !== '');
}

/** Words that fish offers. */
const inFish = (line: string): string[] =>
  execFileSync('fish', ['--no-config', '-c', `source ${scripts.fish}; complete -C ${JSON.stringify(line)}`], {
    cwd: folder,
    encoding: 'utf8',
  })
    .split('\n')
    .map((each) => each.split('\t')[0] ?? '')
    .filter((word) => word !== '');

const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['drover fla', ['flatten']],
  ['drover orders pl', ['place']],
  ['drover --config my-config.yaml orders ca', ['cancel']],
  ['drover flatten --una', ['--unallocated']],
  ['drover run --mode d', ['dry-run']],
  ['drover orders place AAPL b', ['buy']],
  ['drover optimise --method s', ['sobol']],
  ['drover lots --method l', ['lifo']],
  ['drover backtest --strategy sma-c', ['sma-cross']],
  ['drover run my', ['my-config.yaml']],
  ['drover --config my', ['my-config.yaml']],
  ['drover release --acc', ['--accept-terms']],
  ['drover completion f', ['fish']],
  ['drover pause --reason run --ca', ['--cancel']],
];

describe('bash', () => {
  test.each(LINES)('completes `%s`', (line, words) => {
    expect(inBash(line)).toEqual(words);
  });

  test('offers folders if a flag takes one', () => {
    expect(inBash('drover status --state st')).toEqual(['state-of-mine']);
    expect(inBash('drover status --state my')).toEqual([]);
  });

  test('offers nothing after a flag that takes any text', () => {
    expect(inBash('drover pause --reason ')).toEqual([]);
  });
});

describe.skipIf(!isInstalled('fish'))('fish', () => {
  test.each(LINES)('completes `%s`', (line, words) => {
    expect(inFish(line)).toEqual(words);
  });

  test('offers folders if a flag takes one', () => {
    expect(inFish('drover status --state st')).toEqual(['state-of-mine/']);
  });
});

/** True when a shell at a pseudo-terminal inserts, for each typed text of `steps`, the given rest at the tab key. */
function putsIn(shell: Shell, steps: readonly (readonly [typed: string, rest: string])[]): Promise<boolean> {
  const begin: Record<Shell, [command: string, setup: string]> = {
    bash: ['bash --norc --noprofile -i', `source ${scripts.bash}; PS1=ready-`],
    zsh: ['zsh -f -i', `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=ready-`],
    fish: [
      'fish --no-config -i',
      `source ${scripts.fish}; function fish_prompt; echo -n ready-; end; set -g fish_greeting`,
    ],
  };
  const [command, setup] = begin[shell];
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8' },
  });
  const left = [...steps];
  let [text, rest] = ['', ''];
  return new Promise((resolve) => {
    const end = (isDone: boolean) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(isDone);
    };
    const timer = setTimeout(() => end(false), 45_000);
    const next = () => {
      const step = left.shift();
      if (!step) return end(true);
      [text, rest] = ['', step[1]];
      child.stdin.write(`\u0015${step[0]}\t`);
    };
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      const plain = text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
      if (rest === '' ? /(^|[^=\w ])ready-/.test(plain) : plain.includes(rest)) next();
    });
    child.stdin.write(`${setup}\n`);
  });
}

describe.skipIf(!isInstalled('script'))('at a pseudo-terminal', () => {
  for (const shell of SHELLS)
    test.skipIf(!isInstalled(shell))(
      `${shell} completes a command, a flag and a value`,
      { timeout: 60_000 },
      async () => {
        const steps = [
          ['drover flat', 'flatten'],
          ['drover orders place --with-d', '--with-deposit'],
          ['drover run --mode dr', 'dry-run'],
        ] as const;
        expect(await putsIn(shell, steps)).toBe(true);
      },
    );
});
