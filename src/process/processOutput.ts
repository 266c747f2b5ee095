import { constants, fstatSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { machine } from '../core/clock.ts';
import { orElse } from '../core/errors.ts';
import { LineWriter } from './lineWriter.ts';
import type { Stream } from './terminal.ts';

/** Time in ms for the last lines to be read when the process ends. */
const FAREWELL_MS = 2_000;

type Descriptor = Readonly<{ fd: number }>;
type Outputs = Readonly<{ stdout: NodeJS.WriteStream & Descriptor; stderr: NodeJS.WriteStream & Descriptor }>;

/**
 * Output of the process. It waits for its reader, so that `| less` shows everything, until `detach` is called: from then
 * on a reader that stops, or a stopped terminal, blocks nothing.
 */
export class ProcessOutput {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly #streams: Outputs;
  #writers: readonly LineWriter[] = [];

  constructor(streams: Outputs) {
    this.#streams = streams;
    this.stdout = this.#through(streams.stdout, 0);
    this.stderr = this.#through(streams.stderr, -1);
  }

  /** Stops output from waiting for a reader: unread lines are dropped and counted from now on. Returns the counter. */
  detach(): () => number {
    if (this.#writers.length === 0) {
      const { stdout, stderr } = this.#streams;
      const writer = writerTo(stdout.fd);
      this.#writers = isSame(stdout.fd, stderr.fd) ? [writer] : [writer, writerTo(stderr.fd)];
    }
    return () => this.#writers.reduce((sum, { dropped }) => sum + dropped, 0);
  }

  /** Resolves once everything is written, or with false if that takes too long. */
  drained(): Promise<boolean> {
    const all = Promise.all(this.#writers.map((writer) => writer.drained()));
    return new Promise((resolve) => {
      const cancel = machine.after(FAREWELL_MS, () => resolve(false));
      void all.then(() => {
        cancel();
        resolve(true);
      });
    });
  }

  /** Writes what is accepted immediately, at process exit. False if a write in progress would delay the exit. */
  flush(): boolean {
    for (const writer of this.#writers) writer.flush();
    return this.#writers.every(({ isHeld }) => !isHeld);
  }

  #through(stream: NodeJS.WriteStream, index: number): Stream {
    const writers = () => this.#writers;
    return {
      isTTY: stream.isTTY,
      get columns() {
        return stream.columns;
      },
      get rows() {
        return stream.rows;
      },
      write(text) {
        const writer = writers().at(index);
        if (writer) writer.add(text);
        else stream.write(text);
      },
    };
  }
}

/** The stream in a wrapper for code that needs one of Node's own. */
export const writableOf = (stream: Stream): Writable =>
  new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      stream.write(text);
      done();
    },
  });

function writerTo(fd: number): LineWriter {
  const own = openedAgain(fd);
  return new LineWriter(own ?? fd, {
    gap: (lost) => `drover: ${lost} ${lost === 1 ? 'line' : 'lines'} of output left out: nobody read them\n`,
    canHold: own === undefined && !fstatSync(fd).isFile(),
  });
}

/**
 * The same pipe or terminal, opened as non-blocking; undefined for a file, or if that is not possible. Setting it on the
 * original descriptor would not last: other processes share it, and programs that we start reset it.
 */
function openedAgain(fd: number): number | undefined {
  const kind = fstatSync(fd);
  if (!kind.isFIFO() && !kind.isCharacterDevice()) return undefined;
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  return orElse(() => openSync(`/dev/fd/${fd}`, flags), undefined);
}

function isSame(one: number, other: number): boolean {
  const [a, b] = [fstatSync(one), fstatSync(other)];
  return a.dev === b.dev && a.ino === b.ino;
}
