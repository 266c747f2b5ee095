import { z } from 'zod';
import { InvalidValueError } from '../../core/errors.ts';
import type { StrategyDefinition } from '../../strategy/contract.ts';
import { isSignals, type SignalsDefinition } from '../../strategy/signals/defineSignals.ts';
import { confinedHooks } from './confinedHooks.ts';
import type { SignalColumns, SymbolColumns } from '../../strategy/signals/signalColumns.ts';

/**
 * Strategy of a compartment as the engine takes it: its schema answers in copies, its needs are a copy, its hooks see
 * what cannot be changed, and the columns that its signals read are copies.
 * @param jsonSchemaOf JSON Schema of its schema, made in the compartment
 */
export function confinedDefinition(
  definition: StrategyDefinition,
  jsonSchemaOf: (schema: unknown) => unknown,
): StrategyDefinition {
  const { name, description, params, data, create } = definition;
  const confined: StrategyDefinition = {
    name,
    description,
    params: confinedSchema(params, jsonSchemaOf),
    data: (given) => copyOf(data(given)),
    create: (given) => confinedHooks(create(given)),
  };
  return isSignals(definition) ? withSignals(confined, definition) : confined;
}

const withSignals = (confined: StrategyDefinition, { signals }: SignalsDefinition): SignalsDefinition => ({
  ...confined,
  signals: (columns, params) => signals(new ColumnCopies(columns), params),
});

/** A copy of plain data; a promise stays one, which its reader refuses. @throws {InvalidValueError} for anything else */
function copyOf<Value>(value: Value): Value {
  if (value instanceof Promise) return value;
  try {
    return structuredClone(value);
  } catch {
    throw new InvalidValueError('data() gives back something that is no plain data, such as a function');
  }
}

/** A schema of this program that asks one of a compartment. */
function confinedSchema(schema: z.ZodType, jsonSchemaOf: (schema: unknown) => unknown): z.ZodType {
  const confined = z.unknown().transform((value, { issues }): unknown => {
    const { success, data, error } = schema.safeParse(value);
    if (success) return data;
    issues.push(...(JSON.parse(JSON.stringify(error.issues)) as typeof issues));
    return z.NEVER;
  });
  confined._zod.toJSONSchema = () => jsonSchemaOf(schema);
  return confined;
}

/** Columns as copies, each made when it is first read: what a strategy writes into them is its own affair. */
class ColumnCopies implements SignalColumns {
  readonly #columns: SignalColumns;
  readonly #copies = new Map<string, SymbolColumns>();
  #start: Float64Array | null = null;

  constructor(columns: SignalColumns) {
    this.#columns = columns;
  }

  get start(): Float64Array {
    return (this.#start ??= Float64Array.from(this.#columns.start));
  }

  of(symbol: string): SymbolColumns {
    const copies = this.#copies.get(symbol) ?? lazyCopies(this.#columns.of(symbol));
    this.#copies.set(symbol, copies);
    return copies;
  }

  onRows(symbol: string, values: ArrayLike<number>): Float64Array {
    return this.#columns.onRows(symbol, values);
  }
}

function lazyCopies(columns: SymbolColumns): SymbolColumns {
  const made = new Map<string, Float64Array>();
  const copyIn = (field: keyof SymbolColumns) => {
    const copy = made.get(field) ?? new Float64Array(columns[field]);
    made.set(field, copy);
    return copy;
  };
  return {
    get start() {
      return copyIn('start');
    },
    get open() {
      return copyIn('open');
    },
    get high() {
      return copyIn('high');
    },
    get low() {
      return copyIn('low');
    },
    get close() {
      return copyIn('close');
    },
    get volume() {
      return copyIn('volume');
    },
  };
}
