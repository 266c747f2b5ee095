import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { printable, printableInColour } from '../core/printable.ts';
import type { Secrets } from '../core/secrets.ts';
import { ConfigError, DroverError } from '../core/errors.ts';
import type { Clock } from '../core/clock.ts';
import type { Environment } from './environment.ts';
import { withProgramName } from './programName.ts';

/** Output of a command. Every secret in it is masked. */
export interface Terminal {
  /** Prints one or more lines on stdout: results. */
  out(text: string): void;
  /** Prints lines on stderr: everything that is not a result. */
  err(text: string): void;
  /** Shows the progress of long work on one line of stderr, which the next output replaces; absent without a terminal. */
  readonly status?: (text: string) => void;
  /** True if stdout supports colours: it is a terminal, and NO_COLOR is not set. */
  readonly colour: boolean;
  /** The terminal as a screen that can be repainted; absent if stdout is not a terminal. */
  readonly screen?: Screen;
}

/** A screen on which each frame replaces the previous one. Its size may change. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Shows lines from the top; those that do not fit are left out. */
  paint(lines: readonly string[]): void;
}

/** Writes text unchanged. */
export type Stream = Readonly<{
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}>;
type Streams = Readonly<{
  stdout: Stream;
  stderr: Stream;
  colour: boolean;
  /** Command that starts the program, for commands suggested in texts. Default `drover`. */
  program?: string;
}>;

const CLEAR_LINE = '\r\u001B[K';
const CLEAR_SCREEN = '\u001B[2J';
const HOME = '\u001B[H';
const CLEAR_REST_OF_LINE = '\u001B[K';
const CLEAR_REST = '\u001B[J';

/** Size of a terminal that does not report one. */
const SIZE = { columns: 80, rows: 24 };

/**
 * The only way to stdout and stderr. Secrets are masked, and control characters in texts of the venue or a file are
 * escaped; only our own colours pass, if there are any.
 */
export function terminalOn(
  { stdout, stderr, colour, program = 'drover' }: Streams,
  secrets: Secrets,
): Terminal {
  const shownAs = colour ? printableInColour : printable;
  const safe = (text: string): string => withProgramName(shownAs(secrets.redact(text)), program);
  let status = '';
  const showStatus = (text: string): void => {
    if (text !== status) stderr.write(`${CLEAR_LINE}${safe(text).replaceAll('\n', ' ')}`);
    status = text;
  };
  const put = (stream: Stream, text: string): void => {
    if (status) showStatus('');
    stream.write(`${safe(text)}\n`);
  };
  return {
    out: (text) => put(stdout, text),
    err: (text) => put(stderr, text),
    ...(stderr.isTTY ? { status: showStatus } : {}),
    colour,
    ...(stdout.isTTY ? { screen: screenOn(stdout, safe) } : {}),
  };
}

/** Screen that is repainted from its top corner: without flicker, and the last picture stays. */
function screenOn(stdout: Stream, safe: (text: string) => string): Screen {
  let isClear = false;
  return {
    get columns() {
      return stdout.columns ?? SIZE.columns;
    },
    get rows() {
      return stdout.rows ?? SIZE.rows;
    },
    paint(lines) {
      const shown = lines
        .slice(0, Math.max(this.rows - 1, 1))
        .map((line) => safe(line).replaceAll('\n', ' '));
      const text = shown.map((line) => `${line}${CLEAR_REST_OF_LINE}\n`).join('');
      stdout.write(`${isClear ? '' : CLEAR_SCREEN}${HOME}${text}${CLEAR_REST}`);
      isClear = true;
    },
  };
}

/** Unbuffered input typed by a person, and the stream where prompts are shown. */
export type PersonStreams = Readonly<{ input: Readable; output: Writable }>;

/** The person at the terminal, if there is one, and the piped input of the command. */
export interface Keyboard {
  /** True when a person is present: input and error output are a terminal. */
  readonly present: boolean;
  /** The person's terminal, for prompts with line editing; absent without a person. */
  readonly streams?: PersonStreams;
  /** Reads a line typed after the prompt; with `hidden` it is not shown. @throws {InterruptedError} */
  ask(question: string, options?: Readonly<{ hidden?: boolean }>): string;
  /** The complete piped input. @throws {ConfigError} on a terminal, which would show the typed text */
  piped(): string;
}

/** Error for a person's request to stop. */
export class InterruptedError extends DroverError {
  override readonly code = 'INTERRUPTED';
  override readonly effect = 'none';
}

type Terminals = Readonly<{
  stdin: Readonly<{ isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }>;
  stderr: Readonly<{ isTTY?: boolean }>;
}>;

const TTY = '/dev/tty';
/** Maximum length of a line, in bytes. */
const LINE_MAX = 4_096;

export const keyboardOf = ({ stdin, stderr }: Terminals): Keyboard => ({
  present: stdin.isTTY === true && stderr.isTTY === true,
  piped() {
    if (stdin.isTTY === true)
      throw new ConfigError(
        'nothing was read: error output is not a terminal, so there would be no question, and the input would be visible. ' +
          'Leave error output on the terminal, or pipe the input in',
      );
    return readFileSync(0, 'utf8');
  },
  ask(question, { hidden = false } = {}) {
    // A separate descriptor, so that reading blocks; the program has nothing else to do until there is an answer.
    const tty = openSync(TTY, 'r+');
    if (hidden) stdin.setRawMode?.(true);
    try {
      writeSync(tty, printable(question));
      return readLine(() => nextByte(tty));
    } finally {
      if (hidden) {
        stdin.setRawMode?.(false);
        writeSync(tty, '\n');
      }
      closeSync(tty);
    }
  },
});

function nextByte(tty: number): number | null {
  const buffer = Buffer.alloc(1);
  return readSync(tty, buffer, 0, 1, null) === 0 ? null : (buffer[0] ?? null);
}

const [ENTER, RETURN, CTRL_C, CTRL_D, BACKSPACE, DELETE, CTRL_U] = [10, 13, 3, 4, 8, 127, 21];

/** A line from single bytes, as a terminal sends them without line editing. */
export function readLine(next: () => number | null): string {
  const bytes: number[] = [];
  for (;;) {
    const byte = next();
    if (byte === CTRL_C || ((byte === null || byte === CTRL_D) && bytes.length === 0))
      throw new InterruptedError('stopped at a question; nothing was done');
    if (byte === null || byte === CTRL_D || byte === ENTER || byte === RETURN)
      return Buffer.from(bytes).toString('utf8');
    if (byte === CTRL_U) bytes.length = 0;
    else if (byte === BACKSPACE || byte === DELETE) dropCharacter(bytes);
    else if (bytes.push(byte) > LINE_MAX) throw new ConfigError('the line is too long');
  }
}

/** Bytes of one UTF-8 character: the first and its continuations. */
function dropCharacter(bytes: number[]): void {
  for (let byte = bytes.pop(); byte !== undefined && (byte & 0xc0) === 0x80; byte = bytes.pop());
}

/**
 * Time in ms within which a repeated signal counts as the same one: `timeout` and npm forward signals that the whole
 * process group received.
 */
const ECHO_MS = 500;

/**
 * True for a process started by `nohup`. Node restores the signals that were ignored at its start, and keeps no record of it; the shell
 * has recorded the name in `_`.
 */
export const isUnderNohup = (env: Environment): boolean => basename(env['_'] ?? '') === 'nohup';

/** Creates a test that is true for a repetition of the previous signal. */
export function echoes(clock: Pick<Clock, 'monotonic'>): (name: string) => boolean {
  let last = { name: '', at: -Infinity };
  return (name) => {
    const at = clock.monotonic();
    if (name === last.name && at - last.at < ECHO_MS) return true;
    last = { name, at };
    return false;
  };
}
