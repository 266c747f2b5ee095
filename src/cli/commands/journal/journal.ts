import { counted } from '../../../core/counted.ts';
import { resolve } from 'node:path';
import { ConfigError, closing, closingAfter } from '../../../core/errors.ts';
import type { JournalEvent } from '../../../domain/journalEvent.ts';
import { HISTORY_KINDS, OrderHistory } from '../../../domain/orders/orderHistory.ts';
import { suggest } from '../../../core/suggest.ts';
import { toIso } from '../../../core/brand.ts';
import type { SignedSend } from '../../../domain/venue.ts';
import { KIND_BY_STORED_NAME, recordOf, storedEvent } from '../../../store/storedNames.ts';
import { CheckpointProof } from '../../../engine/runtime/checkpoints.ts';
import { readJournal, verifyJournal, type JournalReader } from '../../../store/readJournal.ts';
import { checkpointFile, type Tip } from '../../../store/integrity.ts';
import { instantOf } from '../../../app/config/times.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult, toJson } from '../../../process/output.ts';
import { journalOf } from '../../../app/environment/journal.ts';
import { writeNew } from '../../../process/files.ts';
import { heldOrderText } from './heldOrderText.ts';
import type { Line } from '../../../store/codec.ts';

type Kind = JournalEvent['kind'];

/** The entry kind named by a flag. @throws {ConfigError} when there is no such kind */
function eventKind(text: string): Kind {
  const kind = KIND_BY_STORED_NAME.get(text);
  if (kind !== undefined) return kind;
  const names = [...KIND_BY_STORED_NAME.keys()];
  const suggestion = suggest(text, names);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  throw new ConfigError(
    `--kind: there is no kind ${JSON.stringify(text)}.${hint} There are ${names.join(', ')}`,
  );
}

export type ShowFlags = Readonly<{
  state?: string;
  order?: string;
  kind?: string;
  since?: string;
  follow?: boolean;
}>;

/** Interval between two reads of a journal that is followed, in ms. */
const FOLLOW_MS = 500;

/** `drover journal show`: the entries, one per line. It may run during a run without affecting it. */
export async function journalShow(flags: ShowFlags, context: CommandContext): Promise<number> {
  const wanted = filterOf(flags);
  const each = (line: Line) =>
    wanted(line) && printResult(context, recordOf(line), textOf(line, flags.order !== undefined));
  return closingAfter(readJournal(journalOf(flags, context).file), async (reader) => {
    if (flags.order !== undefined && !flags.follow) showOrder(reader, flags.order, each);
    else await showAll(reader, { flags, context, each });
    return EXIT.done;
  });
}

/** Shows the entries of an order; for an intent or a held order, also those of its orders. */
function showOrder(reader: JournalReader, id: string, each: (line: Line) => unknown): void {
  const ofOrder = reader.history(id);
  const lines = ofOrder.length > 0 ? ofOrder : wholeHistory(reader, id);
  if (lines.length === 0) throw new ConfigError(`there is no order ${id} in this journal`);
  lines.forEach(each);
}

function wholeHistory(reader: JournalReader, id: string): readonly Line[] {
  const history = new OrderHistory(id);
  return [...reader.ofKinds(HISTORY_KINDS)].filter(({ fact }) => history.has(fact));
}

type All = Readonly<{ flags: ShowFlags; context: CommandContext; each: (line: Line) => unknown }>;

async function showAll(reader: JournalReader, { flags, context, each }: All): Promise<void> {
  const signal = flags.follow ? context.stopSignal() : undefined;
  let tip: Tip | undefined;
  do {
    const lines = reader.lines(tip);
    let step = lines.next();
    for (; !step.done; step = lines.next()) each(step.value);
    tip = step.value;
    if (signal) await context.clock.sleep(FOLLOW_MS, signal).catch(() => undefined);
  } while (signal && !signal.aborted);
}

/** Builds the filter for entries from the flags. @throws {ConfigError} for an unknown kind or an invalid time */
function filterOf({ order, kind: name, since }: ShowFlags): (line: Line) => boolean {
  const kind = name === undefined ? undefined : eventKind(name);
  const from = since === undefined ? -Infinity : instantOf('since', since);
  const history = order === undefined ? null : new OrderHistory(order);
  // It must see every entry, because it keeps state.
  return ({ at, fact }) =>
    (history?.has(fact) ?? true) && at >= from && (kind === undefined || fact.kind === kind);
}

function textOf(line: Line, whole: boolean): string {
  const { seq, at, fact } = line;
  const { kind, ...rest } = storedEvent(fact);
  const request = fact.kind === 'order' ? fact.request : undefined;
  const held = heldOrderText(fact);
  const shown = request && whole ? { ...rest, request: undefined } : rest;
  const head = `${String(seq).padStart(8)}  ${toIso(at)}  ${String(kind).padEnd(15)} ${held ?? toJson(shown)}`;
  return request && whole ? `${head}\n${sentText(request)}` : head;
}

/** Request or transaction that was sent, each part on its own line. */
function sentText(sent: SignedSend): string {
  const parts: (readonly [string, string | number])[] =
    'raw' in sent
      ? [
          ['transaction', sent.txHash],
          ['chain', sent.chainId],
          ['to', sent.to],
          ['nonce', sent.nonce],
          ['raw', sent.raw],
        ]
      : [
          ['request', `${sent.method} ${sent.uri}`],
          ['timestamp', sent.timestamp],
          ['nonce', sent.nonce],
          ['body', sent.body],
        ];
  return parts.map(([name, value]) => `${' '.repeat(10)}${name.padEnd(12)}${value}`).join('\n');
}

/**
 * `drover journal verify`: checks every entry, including archived ones, that none is missing, and that each checkpoint follows
 * from all entries before it. Exit 1 if a check fails.
 */
export function journalVerify(flags: { state?: string }, context: CommandContext): number {
  const { file } = journalOf(flags, context);
  const proof = new CheckpointProof();
  const { seq, sum, epochs, archives } = verifyJournal(file, (line) => proof.take(line, line.seq));
  const { compared, wrong } = proof;
  const lines = [
    `${file}: ${counted(seq, 'entry', 'entries')} of ${counted(epochs, 'start')}, all intact (sum ${sum})`,
    ...(compared === 0 ? [] : [`  ${counted(compared, 'checkpoint')} compared with all entries before`]),
    ...archives.map((archive) => `  entries ${archive.first} to ${archive.last} are in ${archive.file}`),
    ...wrong.map(
      (number) =>
        `The checkpoint of entry ${number} does not match the entries before it. Remove ${checkpointFile(file)}: the next start reads every entry`,
    ),
  ];
  const checkpoints = { compared, wrong };
  printResult(context, { file, entries: seq, sum, epochs, archives, checkpoints }, lines.join('\n'));
  return wrong.length === 0 ? EXIT.done : EXIT.failed;
}

/** `drover journal export FILE`: every entry as JSON, one per line. */
export function journalExport(flags: { state?: string; file: string }, context: CommandContext): number {
  const target = resolve(context.cwd, flags.file);
  let count = 0;
  function* texts(reader: JournalReader): Generator<string> {
    for (const line of reader.lines()) {
      yield `${context.secrets.redact(toJson(recordOf(line)))}\n`;
      count++;
    }
  }
  closing(readJournal(journalOf(flags, context).file), (reader) => writeNew(target, texts(reader), 0o600));
  return printResult(
    context,
    { file: target, entries: count },
    `${target}: ${counted(count, 'entry', 'entries')}`,
  );
}
