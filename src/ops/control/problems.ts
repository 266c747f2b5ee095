import { z } from 'zod';
import { valueAt } from '../../core/nesting.ts';
import { RefusedRequest } from './request.ts';
import type { Call, Route } from './route.ts';

/** A validated value: the fields of a body, or the parameters of a URL. */
export type InputCheck = Readonly<{
  what: 'field' | 'parameter';
  schema: z.ZodType | undefined;
  value: unknown;
}>;

/** Failure of an endpoint; if request fields are missing or wrong, a refusal that names them. */
export function failureOf(
  error: unknown,
  { method, query, body }: Pick<Route, 'method' | 'query' | 'body'>,
  call: Pick<Call, 'query' | 'body'>,
): unknown {
  if (!(error instanceof z.ZodError)) return error;
  const request: InputCheck =
    method === 'GET'
      ? { what: 'parameter', schema: query, value: call.query }
      : { what: 'field', schema: body, value: call.body };
  return new RefusedRequest('USAGE', `${problemsOf(error, request)}. Nothing was done`);
}

type Issue = z.core.$ZodIssue;

/** Problems of a body or URL in plain words, each with its field, on one line. */
export const problemsOf = ({ issues }: z.ZodError, checked: InputCheck): string =>
  issues.map((issue) => problemOf(issue, checked)).join('; ');

function problemOf(issue: Issue, checked: InputCheck): string {
  const { what, schema, value } = checked;
  if (issue.code === 'unrecognized_keys') return unknownText(issue.keys, checked);
  if (issue.path.length === 0) return issue.code === 'invalid_type' ? NO_OBJECT : issue.message;
  const subject = `${what} "${issue.path.join('.')}"`;
  return valueAt(value, issue.path) === undefined
    ? `${subject} is missing${meaningOf(issue, schema)}`
    : `${subject} ${wrongOf(issue)}`;
}

const NO_OBJECT = 'the body of a command is one JSON object';

function unknownText(keys: readonly string[], { what, schema }: InputCheck): string {
  const names = keys.map((key) => `"${key}"`).join(', ');
  const unknown = keys.length === 1 ? `${what} ${names} is not known` : `${what}s ${names} are not known`;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return `${unknown} here: this takes ${known.join(', ') || 'none'}`;
}

/** Meaning of a missing field, for the client. */
function meaningOf(issue: Issue, schema: z.ZodType | undefined): string {
  if (issue.code === 'invalid_value') return `: one of ${issue.values.map(String).join(', ')}`;
  const [name] = issue.path;
  const field: unknown =
    schema instanceof z.ZodObject ? (schema.shape as Record<PropertyKey, unknown>)[name ?? ''] : undefined;
  return field instanceof z.ZodType && field.description !== undefined ? ` (${field.description})` : '';
}

/** Plain names of types. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text in quotes',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function wrongOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'must not be empty'
        : `must ${sizeOf(issue.origin, 'least', issue.minimum)}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'most', issue.maximum)}`;
    case 'invalid_union': {
      const last = issue.errors.at(-1)?.[0];
      return last ? wrongOf(last) : issue.message;
    }
    default:
      return issue.message;
  }
}

function sizeOf(origin: string, end: 'least' | 'most', size: number | bigint): string {
  if (origin === 'string') return `have at ${end} ${size} characters`;
  if (origin === 'array') return `have at ${end} ${size} ${Number(size) === 1 ? 'entry' : 'entries'}`;
  return `be at ${end} ${size}`;
}
