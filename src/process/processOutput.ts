import { constants, fstatSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { machine } from '../core/clock.ts';
import { orElse } from '../core/errors.ts';
import { LineWriter } from './lineWriter.ts';
import type { Stream } from './terminal.ts';

/** Time in ms in which the last lines are to be read when the process ends. */
const FAREWELL_MS = 2_000;

type Descriptor = Readonly<{ fd: number }>;
type Outputs = Readonly<{ stdout: NodeJS.WriteStream & Descriptor; stderr: NodeJS.WriteStream & Descriptor }>;

/**
 * Output of the process. It waits for its reader, so that `| less` shows all of it, until `detach` is called: from then on
 * a reader who reads no more, or a stopped terminal, holds nothing up.
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

  /** Has output wait for nobody from now on: what is not read is dropped and counted. Returns the count of dropped lines. */
  detach(): () => number {
    if (this.#writers.length === 0) {
      const { stdout, stderr } = this.#streams;
      const writer = writerTo(stdout.fd);
      this.#writers = isSame(stdout.fd, stderr.fd) ? [writer] : [writer, writerTo(stderr.fd)];
    }
    return () => this.#writers.reduce((sum, { dropped }) => sum + dropped, 0);
  }

  /** Resolves once everything is written: to false when that takes too long. */
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

  /** Writes what is taken at once, at the end of the process. False if a write that has begun would hold that end up. */
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

/** The stream for what needs one of Node's own. */
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
 * The same pipe or terminal, opened without waiting; undefined if that is not possible or nothing waits. Setting it on the
 * descriptor as it was given would not last: other processes share that, and programs that we start set it back.
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
