import { describe, expect, test } from 'vitest';
import { follow } from './follow.ts';

type Block = readonly [title: string, text: string];

const pageOf = (...blocks: readonly Block[]): string =>
  `# A page\n\n${blocks.map(([title, text]) => `\`\`\`${title}\n${text}\n\`\`\`\n`).join('\n')}`;

/** A command that prints `up`, runs until Ctrl-C, and ends with this code. */
const untilInterrupted = (code: number): string =>
  `sh -c 'trap "exit ${code}" INT; echo up; while :; do sleep 0.01; done'`;

describe('a page that is followed as a test', () => {
  test('runs its commands in order in one folder, with one running until it is ended', async () => {
    const page = pageOf(
      ['sh', 'ls'],
      ['text', 'bin\nnode_modules'],
      ['ts a.ts', "create() {\n  onBar() {\n    old();\n\n    older();\n  },\n  name: 'kept',\n}"],
      ['ts a.ts onBar', 'onBar() {\n  young();\n},'],
      ['sh', 'cat a.ts'],
      ['text', "create() {\n onBar() {\n young();\n },\n name: 'kept',\n}"],
      ['sh stays guard', untilInterrupted(0)],
      ['text guard', 'up'],
      ['sh exit=3', 'exit 3'],
      ['sh elsewhere', 'systemctl start drover'],
    );
    await expect(follow(page)).resolves.toBeUndefined();
  });

  test('gets free ports instead of its own', async () => {
    const page = pageOf(
      ['sh', '[ 8700 != 8701 ] && [ 8700 -gt 9000 ] && echo port 8700'],
      ['text', 'port 8700'],
    );
    await expect(follow(page)).resolves.toBeUndefined();
  });
});

const WRONG: readonly (readonly [what: string, blocks: readonly Block[], why: RegExp])[] = [
  ['a command fails', [['sh', 'false\ntrue']], /line 3: exit=1 instead of exit=0/],
  ['a command does not fail', [['sh exit=4', 'true']], /exit=0 instead of exit=4/],
  [
    'it shows what is not printed',
    [
      ['sh', 'echo one two'],
      ['text', 'one three'],
    ],
    /line 7: not what was/,
  ],
  [
    'it leaves lines out',
    [
      ['sh', "printf '1\\n2\\n3\\n'"],
      ['text', '1\n3'],
    ],
    /not what was printed/,
  ],
  [
    'a terminal ends without a line',
    [
      ['sh stays it', 'echo no'],
      ['text it', 'yes'],
    ],
    /not what it shows/,
  ],
  [
    'a terminal ends badly',
    [
      ['sh stays it', untilInterrupted(1)],
      ['text it', 'up'],
    ],
    /it ended with exit=1/,
  ],
  ['there is no such terminal', [['text it', 'yes']], /no terminal it/],
  ['nothing can be done with a block', [['', 'npm ci']], /neither a file nor anything else/],
  [
    'a member is not there',
    [
      ['ts a.ts', 'x'],
      ['ts a.ts onBar', 'y'],
    ],
    /a\.ts has no onBar/,
  ],
  ['it keeps a command of drover', [['sh elsewhere', 'npx drover run']], /this can be followed/],
];

test.each(WRONG)('a page that is followed as a test fails if %s', async (_what, blocks, why) => {
  await expect(follow(pageOf(...blocks))).rejects.toThrow(why);
});
