import type { RawResponse } from '../../src/api/transport.ts';
import { hashHex, type Random } from '../../src/core/random.ts';
import type { NetworkFault } from './plan.ts';
import type { Counters } from './sometimes.ts';

export type Spoiled = Exclude<
  NetworkFault,
  | 'requestLost'
  | 'requestUnsent'
  | 'responseLost'
  | 'responseLate'
  | 'requestLate'
  | 'duplicated'
  | 'unauthorized'
>;

/** Whether the request took effect, and the delay of the response. */
export type Context = Readonly<{ uri: string; accepted: boolean; now: number }>;

const HTML = '<html><body><h1>Please sign in</h1></body></html>';
const RETRY_AFTER = [undefined, '3', '0', '-5', '86400', 'soon', 'Wed, 21 Oct 2099 07:28:00 GMT', ''];
const MALFORMED = ['', 'null', '[]', '{"code":"200"}', '{"code":200', '{}', '\u0000'];
const HASH = /"txHash":"(0x[0-9a-f]+)"/;
const VANISH_MS = 60_000;

/** Corrupts responses. A row that was shown once may vanish from the list for a while. */
export class Spoiler {
  readonly #random: Random;
  readonly #sometimes: Counters;
  readonly #vanishes: boolean;
  readonly #shown = new Set<string>();
  readonly #hidden = new Map<string, number>();
  #lastHash: string = hashHex('nothing');

  /** `vanishes`: rows may vanish in this run, so that shown ones are remembered. */
  constructor(random: Random, sometimes: Counters, vanishes: boolean) {
    this.#random = random;
    this.#sometimes = sometimes;
    this.#vanishes = vanishes;
  }

  /** Remembers the rows of a response that goes through, and hides those that have vanished. */
  pass(answer: RawResponse, { uri, now }: Context): RawResponse {
    if (!uri.startsWith('/api/v1/orders')) return answer;
    if (!uri.includes('?')) this.#lastHash = HASH.exec(answer.body)?.[1] ?? this.#lastHash;
    if (!isList(uri) || !this.#vanishes) return answer;
    for (const match of answer.body.matchAll(/"txHash":"(0x[0-9a-f]+)","operationType"/g))
      this.#shown.add(match[1] ?? '');
    for (const [hash, until] of this.#hidden) if (until <= now) this.#hidden.delete(hash);
    if (this.#hidden.size === 0) return answer;
    return withRows(answer, (rows) => rows.filter((row) => !this.#hidden.has(hashOf(row))));
  }

  spoil(answer: RawResponse, fault: Spoiled, context: Context): RawResponse {
    const random = this.#random;
    const among = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
    switch (fault) {
      case 'truncated':
        this.#sometimes.answerTruncated++;
        return { ...answer, body: answer.body.slice(0, Math.floor(random.next() * answer.body.length)) };
      case 'malformed':
        this.#sometimes.answerMalformed++;
        return { ...answer, body: among(MALFORMED) };
      case 'html':
        this.#sometimes.answerHtml++;
        return { status: 200, headers: { 'content-type': 'text/html' }, body: HTML };
      case 'serverError':
        this.#sometimes[context.accepted ? 'serverErrorAfterAcceptance' : 'serverError']++;
        return { status: among([500, 502, 503, 504]), headers: {}, body: HTML };
      case 'limited': {
        this.#sometimes.rateLimited++;
        const after = among(RETRY_AFTER);
        return { status: 429, headers: after === undefined ? {} : { 'retry-after': after }, body: HTML };
      }
      case 'noHash':
      case 'otherHash':
        return this.#withHash(answer, fault, context);
      case 'shuffled':
      case 'vanished':
        return this.#list(answer, fault, context);
    }
  }

  #withHash(answer: RawResponse, fault: 'noHash' | 'otherHash', { accepted }: Context): RawResponse {
    if (!accepted || !HASH.test(answer.body)) return answer;
    this.#sometimes[fault === 'noHash' ? 'noHash' : 'foreignHash']++;
    const text = fault === 'noHash' ? '"txHash":null' : `"txHash":"${this.#lastHash}"`;
    return { ...answer, body: answer.body.replace(HASH, text) };
  }

  #list(answer: RawResponse, fault: 'shuffled' | 'vanished', { uri, now }: Context): RawResponse {
    if (!isList(uri)) return answer;
    if (fault === 'shuffled') {
      this.#sometimes.listShuffled++;
      return withRows(answer, (rows) => this.#shuffled(rows));
    }
    const shown = [...this.#shown].slice(-12);
    const hash = shown[Math.floor(this.#random.next() * shown.length)];
    if (hash === undefined) return answer;
    this.#sometimes.rowVanished++;
    this.#hidden.set(hash, now + VANISH_MS * this.#random.next());
    return answer;
  }

  #shuffled(rows: readonly Row[]): Row[] {
    return rows
      .map((row) => ({ row, place: this.#random.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ row }) => row);
  }
}

type Row = Readonly<{ txHash?: string }>;
type List = { code?: number; data?: { total: number; rows: readonly Row[] } };

const isList = (uri: string): boolean => uri.startsWith('/api/v1/orders?');
const hashOf = ({ txHash = '' }: Row): string => txHash;

function withRows(answer: RawResponse, change: (rows: readonly Row[]) => readonly Row[]): RawResponse {
  const list = parsed(answer.body);
  if (!list?.data) return answer;
  const rows = change(list.data.rows);
  const total = list.data.total - list.data.rows.length + rows.length;
  const body = printed({ ...list, data: { ...list.data, total, rows } });
  return body === null ? answer : { ...answer, body };
}

function parsed(body: string): List | null {
  try {
    return JSON.parse(body) as List;
  } catch {
    return null;
  }
}

/** JSON text; null for values nested too deeply to be printed. */
function printed(list: List): string | null {
  try {
    return JSON.stringify(list);
  } catch {
    return null;
  }
}
