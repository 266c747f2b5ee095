import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, storageErrorOf } from '../core/errors.ts';
import { INTERVALS, isIntraday, type Interval } from '../domain/bar.ts';
import { isTicker, type Ticker } from '../domain/instrument.ts';
import { bytesOf, columnsFrom, hashColumns } from './columns.ts';
import {
  acceptedFindingsSchema,
  actionsSchema,
  damaged,
  manifestSchema,
  sealed,
  unsealed,
  type AcceptedFinding,
  type Factors,
  type Manifest,
  type Part,
  type StoredActions,
} from './manifest.ts';
import type { BarColumns } from '../domain/barColumns.ts';

/** `outside`: the bars outside the regular sessions, stored next to the regular ones; only for intraday intervals. */
export type SetName = Readonly<{ symbol: Ticker; interval: Interval; outside?: true }>;

/** Display name of a set: `AAPL 5m`, `AAPL 5m outside`. */
export const setText = (name: FileName): string => `${name.symbol} ${lengthText(name)}`;

/** Display name of the length of a set's bars: `5m`, `5m outside`. */
export const lengthText = ({ interval, outside }: Omit<FileName, 'symbol'>): string =>
  outside ? `${interval} outside` : interval;

type FileName = Readonly<{ symbol: string; interval: Interval; outside?: true | undefined }>;

/** Raw bars of one symbol and interval, with their sources and adjustment factors. */
export type StoredBars = SetName &
  Readonly<{ columns: BarColumns; parts: readonly Part[]; factors: Factors | null }>;

/** File operations of a write, injected so that a test can interrupt it at any of them. */
export type DiskSteps = Readonly<{
  /** Writes a new file and syncs it to disk. */
  write(file: string, bytes: Uint8Array): void;
  rename(from: string, to: string): void;
  /** Syncs the directory entries of a folder to disk. */
  syncFolder(folder: string): void;
  remove(file: string): void;
}>;

const ACTIONS = 'actions.json';
const ACCEPTED = 'accepted.json';

/**
 * Market data in a folder. `SYMBOL/INTERVAL.json` is the manifest, which names the column file by its content hash;
 * `SYMBOL/INTERVAL.outside.json` that of bars outside the regular sessions; `SYMBOL/actions.json` has corporate
 * actions, `accepted.json` accepted findings. An interrupted write leaves the old or the new set. One writer at a time.
 */
export class BarStore {
  readonly folder: string;
  readonly #disk: DiskSteps;

  constructor(folder: string, disk: DiskSteps = realDisk) {
    this.folder = folder;
    this.#disk = disk;
  }

  /** Stored sets by symbol and interval, each regular one before the one outside the sessions. */
  names(): SetName[] {
    const symbols = entriesOf(this.folder).filter(isTicker).sort();
    return symbols.flatMap((symbol) => {
      const files = new Set(entriesOf(join(this.folder, symbol)));
      const names = INTERVALS.flatMap((interval): SetName[] => {
        const regular = { symbol, interval };
        return isIntraday(interval) ? [regular, { ...regular, outside: true }] : [regular];
      });
      return names.filter((name) => files.has(`${stemOf(name)}.json`));
    });
  }

  /** Null if there is no such set. @throws {DataError} when it is damaged */
  manifest(name: SetName): Manifest | null {
    const file = this.fileOf(name);
    const text = textOf(file);
    if (text === null) return null;
    const manifest = unsealed(text, file, manifestSchema);
    if (setText(manifest) === setText(name)) return manifest;
    throw damaged(file, `it is of ${setText(manifest)}`);
  }

  /** Null if there is no such set. @throws {DataError} when any byte of it has changed */
  read(name: SetName): StoredBars | null {
    for (;;) {
      const manifest = this.manifest(name);
      if (!manifest) return null;
      const file = this.#columnsOf(manifest);
      const bytes = bytesIn(file);
      const { parts, factors } = manifest;
      if (bytes) return { ...name, parts, factors, columns: checked(bytes, file, manifest) };
      // A writer has replaced the set since the manifest was read.
      if (this.manifest(name)?.hash === manifest.hash)
        throw damaged(this.fileOf(name), `${file} is not there`);
    }
  }

  /** Replaces the set with that name. @throws when the disk rejects the write; the old set is then still intact */
  write({ symbol, interval, outside, columns, parts, factors }: StoredBars): Manifest {
    const { start } = columns;
    const manifest: Manifest = {
      format: 1,
      symbol,
      interval,
      ...(outside && { outside }),
      prices: 'raw',
      bars: start.length,
      first: start[0] ?? NaN,
      last: start.at(-1) ?? NaN,
      hash: hashColumns(columns),
      parts: [...parts],
      factors,
    };
    const folder = join(this.folder, symbol);
    mkdirSync(folder, { recursive: true });
    this.#place(this.#columnsOf(manifest), bytesOf(columns));
    this.#place(this.fileOf(manifest), new TextEncoder().encode(sealed(manifest)));
    this.#clean(manifest);
    return manifest;
  }

  /** Null if none were ever fetched. @throws {DataError} when the file is damaged */
  actions(symbol: Ticker): StoredActions | null {
    const file = join(this.folder, symbol, ACTIONS);
    const text = textOf(file);
    return text === null ? null : unsealed(text, file, actionsSchema);
  }

  writeActions(actions: StoredActions): void {
    const folder = join(this.folder, actions.symbol);
    mkdirSync(folder, { recursive: true });
    this.#place(join(folder, ACTIONS), new TextEncoder().encode(sealed(actions)));
  }

  /** Findings accepted as genuine. @throws {DataError} when the file is damaged */
  accepted(symbol: Ticker): readonly AcceptedFinding[] {
    const file = join(this.folder, symbol, ACCEPTED);
    const text = textOf(file);
    return text === null ? [] : unsealed(text, file, acceptedFindingsSchema).accepted;
  }

  /** Replaces the accepted findings of a symbol that has bars. */
  writeAccepted(symbol: Ticker, accepted: readonly AcceptedFinding[]): void {
    const text = sealed({ format: 1, symbol, accepted });
    this.#place(join(this.folder, symbol, ACCEPTED), new TextEncoder().encode(text));
  }

  /** Path of a set's manifest. */
  fileOf(name: FileName): string {
    return join(this.folder, name.symbol, `${stemOf(name)}.json`);
  }

  #columnsOf(manifest: Manifest): string {
    return join(this.folder, manifest.symbol, `${stemOf(manifest)}-${manifest.hash}.f64`);
  }

  #place(file: string, bytes: Uint8Array): void {
    this.#disk.write(`${file}.tmp`, bytes);
    this.#disk.rename(`${file}.tmp`, file);
    this.#disk.syncFolder(join(file, '..'));
  }

  /** Removes the columns of replaced sets and the remains of an interrupted write. */
  #clean(manifest: Manifest): void {
    const [folder, stem] = [join(this.folder, manifest.symbol), stemOf(manifest)];
    for (const name of entriesOf(folder))
      if (name.endsWith('.tmp') || (name.startsWith(`${stem}-`) && name !== `${stem}-${manifest.hash}.f64`))
        this.#disk.remove(join(folder, name));
  }
}

/** Prefix of the names of a set's files. */
const stemOf = ({ interval, outside }: Omit<FileName, 'symbol'>): string =>
  outside ? `${interval}.outside` : interval;

function checked(bytes: Uint8Array, file: string, { bars, hash }: Manifest): BarColumns {
  if (bytes.length === 0) throw damaged(file, 'it is empty');
  if (bytes.length % 48 !== 0) throw damaged(file, 'it is truncated');
  const columns = columnsFrom(bytes, file);
  if (columns.start.length === bars && hashColumns(columns) === hash) return columns;
  throw damaged(file, 'its content does not match its name');
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

function unlessMissing<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const entriesOf = (folder: string): string[] => unlessMissing(() => readdirSync(folder)) ?? [];
const textOf = (file: string): string | null => unlessMissing(() => readFileSync(file, 'utf8'));
const bytesIn = (file: string): Uint8Array | null => unlessMissing(() => readFileSync(file));

export const realDisk: DiskSteps = {
  write(file, bytes) {
    try {
      const descriptor = openSync(file, 'w');
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } catch (cause) {
      rmSync(file, { force: true });
      const Failure = storageErrorOf(cause);
      const why = `${dirname(file)} cannot be written: ${messageOf(cause)}. Make room on its disk and let this user write there`;
      throw new Failure(`${why}. The stored bars are unchanged`, { file }, { cause });
    }
  },
  rename: (from, to) => renameSync(from, to),
  syncFolder(folder) {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
  remove: (file) => rmSync(file, { force: true }),
};
