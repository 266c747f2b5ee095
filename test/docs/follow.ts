import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/**
 * Block of a page. The words behind its backticks say what a reader does with it:
 *
 * - `sh`: types the commands; each has to succeed. `sh exit=4`: the last one ends with that code instead.
 * - `sh stays NAME`: types one command into a separate terminal, where it keeps running while the page continues.
 * - `text`: sees these lines in the output of the commands before it; `text NAME`: in that terminal, sooner or later.
 * `…` stands for a part of a line, and on its own for any lines. The number of spaces does not matter.
 * - `LANGUAGE FILE`: saves the file. `LANGUAGE FILE MEMBER`: replaces that member in it.
 * - `LANGUAGE elsewhere`: does it where no test can, as with systemd. Only these are not followed.
 */
type Block = Readonly<{ language: string; words: readonly string[]; text: string; line: number }>;

/** Built by `npm run build`, as `npm test` does first. */
const MAIN = resolve('dist/bin/main.js');
/** Time limit in ms for commands, and for lines that have to appear. It only ends hanging ones. */
const PATIENCE_MS = 240_000;
const PORT = /\b87\d\d\b/g;

/**
 * Follows a page in its order, in an empty folder where drover is installed; then Ctrl-C ends what is still running.
 * Ports from 8700 to 8799 stand for free ones.
 * @throws {Error} at the first block that does not do what the page says
 */
export async function follow(page: string): Promise<void> {
  const reader = new Reader();
  try {
    for (const block of blocksOf(await withFreePorts(page))) await reader.do(block);
    await reader.end();
  } finally {
    reader.kill();
  }
}

class Reader {
  readonly #folder = folderWithDrover();
  readonly #terminals = new Map<string, Terminal>();
  /** Output of the latest commands. */
  #printed = '';

  async do(block: Block): Promise<void> {
    const [how, name = ''] = block.words;
    if (how === 'elsewhere') assertImpossible(block);
    else if (block.language === 'text') await this.#see(block);
    else if (block.language !== 'sh') this.#save(block);
    else if (how === 'stays') this.#terminals.set(name, new Terminal(this.#folder, `exec ${block.text}`));
    else await this.#type(block, how);
  }

  /** Ends running commands, the latest first. */
  async end(): Promise<void> {
    for (const [name, terminal] of [...this.#terminals].reverse()) {
      terminal.signal('SIGINT');
      const how = await terminal.ended;
      if (how !== 'exit=0') throw new Error(`${name} ended with ${how}:\n${terminal.printed}`);
    }
  }

  kill(): void {
    for (const terminal of this.#terminals.values()) terminal.signal('SIGKILL');
  }

  async #type(block: Block, wanted = 'exit=0'): Promise<void> {
    const terminal = new Terminal(this.#folder, `set -e\n${block.text}`);
    const tooLong = setTimeout(() => terminal.signal('SIGKILL'), PATIENCE_MS);
    const how = await terminal.ended;
    clearTimeout(tooLong);
    this.#printed = terminal.printed;
    if (how !== wanted) throw failure(block, `${how} instead of ${wanted}`, this.#printed);
  }

  async #see(block: Block): Promise<void> {
    const [name] = block.words;
    const lines = patternOf(block.text);
    if (name === undefined) {
      if (!lines.test(squeezed(this.#printed))) throw failure(block, 'not what was printed', this.#printed);
      return;
    }
    const terminal = this.#terminals.get(name);
    if (!terminal) throw failure(block, `no terminal ${name}`);
    if (!(await terminal.shows(lines))) throw failure(block, `not what ${name} shows`, terminal.printed);
  }

  #save(block: Block): void {
    const [name = '', member] = block.words;
    if (!name.includes('.')) throw failure(block, 'neither a file nor anything else to do');
    const file = join(this.#folder, name);
    if (member === undefined) return writeFileSync(file, block.text);
    const before = readFileSync(file, 'utf8');
    // A member ends before the next line with the same indentation.
    const wanted = new RegExp(`^( +)${member}\\b.*\\n(?:\\1[ }].*\\n|\\n)*`, 'm');
    const ownIndent = /^ */.exec(block.text)?.[0].length ?? 0;
    const after = before.replace(wanted, (_, indent: string) =>
      block.text.replace(/^ *(?=.)/gm, (own) => indent + own.slice(ownIndent)),
    );
    if (after === before) throw failure(block, `${name} has no ${member} that this replaces`);
    writeFileSync(file, after);
  }
}

/** Shell that runs a script, with its output on both streams. */
class Terminal {
  readonly #child: ChildProcess;
  /** How it ended: `exit=0`, or the name of a signal. */
  readonly ended: Promise<string>;
  printed = '';

  constructor(cwd: string, script: string) {
    const PATH = [join(cwd, 'bin'), dirname(process.execPath), process.env['PATH']].join(':');
    const child = spawn('sh', ['-c', `exec 2>&1\n${script}`], {
      cwd,
      env: { PATH, HOME: cwd, TMPDIR: cwd },
      stdio: ['ignore', 'pipe', 'inherit'],
      // Its own process group, so that a signal reaches the shell's children, as Ctrl-C does.
      detached: true,
    });
    child.stdout.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    this.ended = once(child, 'close').then(([code, by]) => (by === null ? `exit=${code}` : String(by)));
    this.#child = child;
  }

  /** True once these lines are printed, false when it has ended without them or they take too long. */
  async shows(lines: RegExp): Promise<boolean> {
    const { stdout } = this.#child;
    const over = Promise.race([this.ended, once(AbortSignal.timeout(PATIENCE_MS), 'abort')]).then(() => true);
    for (let isOver = false; !isOver && !lines.test(squeezed(this.printed));) {
      const more = stdout ? once(stdout, 'data').then(() => false) : over;
      isOver = await Promise.race([more, over]);
    }
    return lines.test(squeezed(this.printed));
  }

  signal(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name);
  }
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^ *```(\S*) ?(.*)\n([^]*?)^ *```$/gm)].map(
    ({ index, 1: language = '', 2: title = '', 3: text = '' }) => ({
      language,
      words: title === '' ? [] : title.split(' '),
      text,
      line: page.slice(0, index).split('\n').length,
    }),
  );
}

/** An empty folder of a user who has installed drover and zod, with an `npx` that starts the installed program. */
function folderWithDrover(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-reader-'));
  const link = (path: string, target = path) => symlinkSync(resolve(target), join(folder, path));
  const program = (path: string, script: string) =>
    writeFileSync(join(folder, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const path of ['bin', 'node_modules/.bin']) mkdirSync(join(folder, path), { recursive: true });
  link('node_modules/drover', '.');
  link('node_modules/zod');
  link('node_modules/.bin/esbuild');
  program('node_modules/.bin/drover', `exec node '${MAIN}' "$@"`);
  program('bin/npx', `command=$1; shift; exec '${folder}'/node_modules/.bin/"$command" "$@"`);
  return folder;
}

/** The page with a free port in place of each port it names. */
async function withFreePorts(page: string): Promise<string> {
  const servers = new Map<string, Server>();
  for (const [port] of page.matchAll(PORT))
    if (!servers.has(port)) servers.set(port, createServer().listen(0, '127.0.0.1'));
  await Promise.all([...servers.values()].map((server) => once(server, 'listening')));
  const free = new Map(
    [...servers].map(([port, server]) => [port, String((server.address() as AddressInfo).port)]),
  );
  for (const server of servers.values()) server.close();
  return page.replace(PORT, (port) => free.get(port) ?? port);
}

function patternOf(text: string): RegExp {
  const lines = squeezed(text).trimEnd().split('\n');
  const patterns = lines.map((line) =>
    line === '…' ? '(?:.*\\n)*?' : `${line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*')}\\n`,
  );
  return new RegExp(`^${patterns.join('')}`, 'm');
}

/** Text without spaces at the ends of lines, and with one between words. */
const squeezed = (text: string): string => `${text}\n`.replace(/ +/g, ' ').replace(/^ | $/gm, '');

/** Fails if a page excludes a command of drover from being followed. */
function assertImpossible(block: Block): void {
  if (/^(npx )?drover /m.test(block.text)) throw failure(block, 'this can be followed');
}

const failure = ({ line, text }: Block, why: string, printed = ''): Error =>
  new Error(`line ${line}: ${why}\n${text}\n${printed}`);
