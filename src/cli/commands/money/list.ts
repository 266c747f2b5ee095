import { formatDecimal } from '../../../core/amount.ts';
import { csvOf } from '../../../report/csv.ts';
import type { CommandContext } from '../../../process/context.ts';
import { printResult } from '../../../process/output.ts';

/** Value of a field; an amount is a wad, which keeps every digit. */
type Value = string | number | boolean | bigint | null;
/** Row of a list for JSON and CSV: amounts as decimals. */
type Row = Readonly<Record<string, Value>>;

/** Fields of a row by name, in order, each with a function that reads its value from an item. */
export type Fields<Item> = Readonly<Record<string, (item: Item) => Value>>;

export const rowsOf = <Item>(items: readonly Item[], fields: Fields<Item>): Row[] =>
  items.map((item) => Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, of(item)])));

type Form = Readonly<{
  /** Value of `--json`. */
  json: unknown;
  /** Names of a row's fields, in order. */
  fields: readonly string[];
  rows: readonly Row[];
  text: string;
}>;

/** Prints a list as CSV with `--csv`, as JSON with `--json`, otherwise for people. */
export const printList = (form: Form, csv: boolean | undefined, context: CommandContext): number =>
  printResult(context, form.json, csv ? listCsv(form) : form.text);

/** Rows as CSV with a header; amounts keep every digit. */
export const listCsv = ({ fields, rows }: Pick<Form, 'fields' | 'rows'>): string =>
  csvOf([fields, ...rows.map((row) => fields.map((field) => valueOf(row[field] ?? null)))]);

const valueOf = (value: Value): Exclude<Value, bigint> =>
  typeof value === 'bigint' ? formatDecimal(value) : value;

/** Sum of an amount over all items, as a wad. */
export const sumOf = <Item>(items: readonly Item[], amount: (item: Item) => bigint | null): bigint =>
  items.reduce((sum, item) => sum + (amount(item) ?? 0n), 0n);
