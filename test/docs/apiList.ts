import { wrapped } from './wrapped.ts';

type Schema = Readonly<{
  description?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  default?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
}>;
type Parameter = Readonly<{ name: string; in: string; required: boolean; schema: Schema }>;
type Operation = Readonly<{
  summary: string;
  parameters: readonly Parameter[];
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ schema: Schema }>>> }>;
}>;

/** The parts of an OpenAPI document that the list needs. */
export type ApiDocument = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>;

/** Every endpoint of the control API as Markdown: reads first, then commands, each with its parameters. */
export function apiList({ paths }: ApiDocument): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const isRead = ({ method }: Readonly<{ method: string }>) => method === 'GET';
  const group = (title: string, list: typeof all) => [`## ${title}`, ...list.map(endpointText)].join('\n\n');
  return [
    group(
      'Reads',
      all.filter((one) => isRead(one)),
    ),
    group(
      'Commands',
      all.filter((one) => !isRead(one)),
    ),
  ].join('\n\n');
}

function endpointText({
  path,
  method,
  operation,
}: Readonly<{ path: string; method: string; operation: Operation }>): string {
  const { summary, parameters, requestBody } = operation;
  const { properties = {}, required = [] } = requestBody?.content['application/json']?.schema ?? {};
  const items = [
    ...parameters.map(({ name, required: isRequired, schema }) => fieldText(name, schema, isRequired)),
    ...Object.entries(properties).map(([name, schema]) => fieldText(name, schema, required.includes(name))),
  ];
  const head = wrapped(`**\`${method} ${path}\`**: ${summary}`);
  return items.length === 0 ? head : `${head}\n\n${items.map((item) => wrapped(`- ${item}`)).join('\n')}`;
}

function fieldText(name: string, schema: Schema, isRequired: boolean): string {
  const notes = [
    schema.description ?? '',
    valuesOf(schema),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
    isRequired ? 'required' : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? `\`${name}\`` : `\`${name}\`: ${notes.join('; ')}`;
}

const valuesOf = ({ enum: values }: Schema): string =>
  values === undefined ? '' : `one of ${values.map((value) => `\`${String(value)}\``).join(', ')}`;
