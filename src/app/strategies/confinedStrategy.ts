import { z } from 'zod';
import { messageOf } from '../../core/errors.ts';
import type { StrategyDefinition } from '../../strategy/contract.ts';
import { isSignals, type SignalsDefinition } from '../../strategy/signals/defineSignals.ts';
import { guarded, sealed } from '../realm/realm.ts';
import { confinedCode } from './confinedHooks.ts';
import { BAR_FIELDS } from '../../domain/barColumns.ts';
import type { SignalColumns, SymbolColumns } from '../../strategy/signals/signalColumns.ts';
import { isByName, type SignalWeights } from '../../strategy/signals/signalWeights.ts';

/**
 * A compartment's strategy as the engine sees it: its schema returns copies, its needs are a copy, its hooks receive
 * objects that cannot be changed, and the columns that its signals read are copies.
 * @param jsonSchemaOf JSON Schema of its schema, made in the compartment
 */
export function confinedDefinition(
  definition: StrategyDefinition,
  jsonSchemaOf: (schema: unknown) => unknown,
): StrategyDefinition {
  const { name, description, params } = definition;
  const confined: StrategyDefinition = {
    name,
    description,
    params: confinedSchema(params, jsonSchemaOf),
    ...confinedCode(definition),
  };
  return isSignals(definition) ? withSignals(confined, definition) : confined;
}

const withSignals = (confined: StrategyDefinition, definition: SignalsDefinition): SignalsDefinition => ({
  ...confined,
  signals: guarded((columns, params) => plainWeights(definition.signals(columnCopies(columns), params))),
});

/**
 * Copies of the weights, which cannot change after validation; undefined, which the caller refuses, for anything but an object of
 * columns.
 */
function plainWeights(made: SignalWeights): SignalWeights {
  if (!isByName(made)) return undefined as never;
  const copies = Object.entries(made).map(([symbol, values]) => [symbol, plainColumn(values)] as const);
  return Object.fromEntries(copies) as SignalWeights;
}

function plainColumn(values: unknown): unknown {
  if (values === undefined) return undefined;
  if (typeof values !== 'object' || values === null) return messageOf(values);
  if (values instanceof Float64Array) return new Float64Array(values);
  return Float64Array.from(values as ArrayLike<number | null>, (weight) => weight ?? NaN);
}

/** A schema of this program that delegates to one of a compartment. */
function confinedSchema(schema: z.ZodType, jsonSchemaOf: (schema: unknown) => unknown): z.ZodType {
  const confined = z.unknown().transform((value, { issues }): unknown => {
    try {
      const { success, data, error } = guarded(() => schema.safeParse(value))();
      if (success) return data;
      issues.push(...plainIssues(error.issues));
    } catch (thrown) {
      issues.push({ code: 'custom', message: `its schema throws: ${messageOf(thrown)}`, input: value });
    }
    return z.NEVER;
  });
  confined._zod.toJSONSchema = () => jsonSchemaOf(schema);
  return confined;
}

/** Copies of the issues. @throws {TypeError} unless they are a non-empty list of objects */
function plainIssues(given: unknown): z.core.$ZodRawIssue[] {
  const issues = JSON.parse(JSON.stringify(given)) as unknown;
  if (!Array.isArray(issues) || issues.length === 0 || issues.some((one) => typeof one !== 'object'))
    throw new TypeError('it does not return a list of issues');
  return issues as z.core.$ZodRawIssue[];
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined;
  return () => (made ??= make());
};

/** Copies of the columns, each made on first read: a strategy may write into them without effect on others. */
function columnCopies(columns: SignalColumns): SignalColumns {
  const symbols = new Map<string, SymbolColumns>();
  const start = once(() => Float64Array.from(columns.start));
  return sealed({
    get start() {
      return start();
    },
    of: guarded((symbol) => {
      const copies = symbols.get(symbol) ?? fieldCopies(columns.of(symbol));
      symbols.set(symbol, copies);
      return copies;
    }),
    onRows: guarded((symbol, values) => columns.onRows(symbol, values)),
  });
}

function fieldCopies(columns: SymbolColumns): SymbolColumns {
  const getters = BAR_FIELDS.map((field) => {
    const get = once(() => new Float64Array(columns[field]));
    return [field, { enumerable: true, get }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(getters)) as SymbolColumns;
}
