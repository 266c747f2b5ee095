import type { StrategyDefinition } from '../strategy/contract.ts';

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) =>
  typeof value === 'function' && value.constructor.name !== 'AsyncFunction';
const isSchema = (value: unknown) => typeof value === 'object' && value !== null && '_zod' in value;

const PARTS: readonly Readonly<{
  name: keyof StrategyDefinition;
  is: (value: unknown) => boolean;
  what: string;
}>[] = [
  { name: 'name', is: isText, what: 'a text' },
  { name: 'description', is: isText, what: 'a text' },
  { name: 'params', is: isSchema, what: 'a schema of zod 4' },
  { name: 'data', is: isFunction, what: 'a function that is not async' },
  { name: 'create', is: isFunction, what: 'a function that is not async' },
];

/** Reasons why the default export of a file is not a strategy; empty when it is one. */
export function shapeProblems(exported: unknown): string[] {
  if (typeof exported !== 'object' || exported === null)
    return [`it is ${exported === null ? 'null' : `a ${typeof exported}`}`];
  const parts = exported as Readonly<Record<string, unknown>>;
  return PARTS.filter(({ name, is }) => !is(parts[name])).map(({ name, what }) => `${name} must be ${what}`);
}
