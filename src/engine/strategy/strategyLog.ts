import { MINUTE_MS } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { LogFields } from '../../strategy/shown.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Maximum length of a line and of a field's text, in characters: the rest is cut. */
const TEXT_MAX = 500;
const FIELDS_MAX = 20;
const LINES_A_MINUTE = 60;

export type LogLine = Readonly<{ text: string; fields?: LogFields }>;

/** Line of a call of `log`. @throws {InvalidValueError} without a text, or for fields that are not a flat object */
export function logLine(text: unknown, fields?: unknown): LogLine {
  if (typeof text !== 'string') throw new InvalidValueError(`log: ${typeof text} is not a text`);
  const line = { text: text.slice(0, TEXT_MAX) };
  if (fields === undefined) return line;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new InvalidValueError('log: its fields are no object, such as { price: 101.5 }');
  const entries = Object.entries(fields);
  if (entries.length > FIELDS_MAX)
    throw new InvalidValueError(`log: ${entries.length} fields, at most ${FIELDS_MAX} are kept`);
  return { ...line, fields: Object.fromEntries(entries.map(fieldOf)) };
}

function fieldOf([name, value]: [string, unknown]): [string, LogFields[string]] {
  const field = name.slice(0, TEXT_MAX);
  if (typeof value === 'number') return [field, Number.isFinite(value) ? value : String(value)];
  if (typeof value === 'string') return [field, value.slice(0, TEXT_MAX)];
  if (typeof value === 'boolean' || value === null) return [field, value];
  throw new InvalidValueError(
    `log: the field ${JSON.stringify(field)} has the type ${typeof value}: give a number, text, true, false or null`,
  );
}

/** Readable text of a line: `regime changed (from up, to down)`. */
function lineText({ text, fields = {} }: LogLine): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? text : `${text} (${parts.join(', ')})`;
}

/** The log of one strategy: journals and shows its lines, up to a number per minute. */
export class StrategyLog {
  readonly #context: EngineContext;
  readonly #strategyId: string;
  readonly #isOpen: () => boolean;
  #minute = { since: -Infinity, lines: 0 };

  /** @param isOpen true during a hook whose logs count: later calls, and those during the warm-up, write nothing */
  constructor(context: EngineContext, strategyId: string, isOpen: () => boolean) {
    this.#context = context;
    this.#strategyId = strategyId;
    this.#isOpen = isOpen;
  }

  /** @throws {InvalidValueError} for a text or fields that cannot be stored */
  readonly write = (text: string, fields?: LogFields): void => {
    const line = logLine(text, fields);
    if (!this.#isOpen()) return;
    const { now } = this.#context;
    if (now - this.#minute.since >= MINUTE_MS) this.#minute = { since: now, lines: 0 };
    const count = ++this.#minute.lines;
    if (count <= LINES_A_MINUTE) this.#keep(line);
    else if (count === LINES_A_MINUTE + 1)
      this.#keep({ text: `more than ${LINES_A_MINUTE} lines in a minute: the rest of it is left out` });
  };

  #keep(line: LogLine): void {
    this.#context.record({ kind: 'logged', strategyId: this.#strategyId, ...line });
    this.#context.notify('strategy', () => lineText(line), this.#strategyId);
  }
}
