import { parseDecimal } from '../core/amount.ts';
import { ConfigError } from '../core/errors.ts';
import { ACTION_KINDS, fitsName } from '../domain/corporateAction.ts';
import type { StoredAction, Source } from './manifest.ts';

const HEADER = 'exDate,type,oldRate,newRate,cashPerShare';
const HEADERS: readonly string[] = [HEADER, `${HEADER},payableDate`];

type Place = Readonly<{ file: string; source: Source }>;

/**
 * Corporate actions from CSV: a split has `oldRate` and `newRate`, a dividend or spin-off `cashPerShare`; other fields are
 * empty. A sixth column may have the payable date.
 * @throws {ConfigError} with file and line of a wrong row
 */
export function readActions(text: string, { file, source }: Place): StoredAction[] {
  const [header = '', ...lines] = text.replace('\uFEFF', '').split(/\r?\n/);
  const names = header.replaceAll(' ', '');
  if (!HEADERS.includes(names))
    throw new ConfigError(`${file}:1: the header is "${header}"; write ${HEADER}`, { file, line: 1 });
  const actions = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const wrong = (what: string) =>
      new ConfigError(`${file}:${index + 2}: ${what}`, { file, line: index + 2 });
    const fields = line.split(',').map((field) => field.trim());
    const count = names.split(',').length;
    if (fields.length !== count) throw wrong(`${fields.length} fields where there are ${count}: ${names}`);
    return [{ ...actionOf(fields, wrong), source }];
  });
  if (actions.length === 0)
    throw new ConfigError(`${file}: no corporate action follows the header`, { file });
  return actions;
}

function actionOf(
  fields: readonly string[],
  wrong: (what: string) => ConfigError,
): Omit<StoredAction, 'source'> {
  const [exDate = '', type = '', oldRate = '', newRate = '', cashPerShare = '', payableDate = ''] = fields;
  if (!isDate(exDate)) throw wrong(`exDate is "${exDate}": write a date such as 2026-06-15`);
  const kind = ACTION_KINDS[type];
  if (kind !== 'split' && kind !== 'payment')
    throw wrong(`type is "${type}": write ${Object.keys(ACTION_KINDS).join(', ')}`);
  const needed = kind === 'split' ? { oldRate, newRate } : { cashPerShare };
  for (const [name, value] of Object.entries(needed))
    if (!isAbove0(value)) throw wrong(`${name} is "${value}": of a ${type} it is a decimal above 0`);
  if (kind === 'split') requireFit(type, { oldRate, newRate }, wrong);
  const given = { type, exDate, oldRate: null, newRate: null, cashPerShare: null, ...needed };
  if (payableDate === '') return given;
  if (!isDate(payableDate))
    throw wrong(`payableDate is "${payableDate}": write a date such as 2026-06-15, or nothing`);
  if (payableDate < exDate)
    throw wrong(
      `payableDate is "${payableDate}", before the ex-date: write exDate first, or nothing for one paid on it`,
    );
  return { ...given, payableDate };
}

function requireFit(
  type: string,
  { oldRate, newRate }: Readonly<{ oldRate: string; newRate: string }>,
  wrong: (what: string) => ConfigError,
): void {
  if (fitsName(type, { oldRate: parseDecimal(oldRate), newRate: parseDecimal(newRate) })) return;
  const [leaves, other] = type === 'forward_split' ? ['more', 'reverse_split'] : ['fewer', 'forward_split'];
  throw wrong(
    `${oldRate} for ${newRate} is no ${type.replace('_', ' ')}: it leaves ${leaves} shares. ` +
      `Write oldRate before newRate, or ${other}`,
  );
}

/** True for a date that exists: there is no 30th of February. */
function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

function isAbove0(text: string): boolean {
  try {
    return parseDecimal(text) > 0n;
  } catch {
    return false;
  }
}

/**
 * Actions of both lists by ex-date. Those of `first` replace all in `others` of the same day and type; within a list all with
 * different terms count, as a special dividend beside a regular one.
 */
export function joinedActions(
  first: readonly StoredAction[],
  others: readonly StoredAction[],
): StoredAction[] {
  const replaced = new Set(first.map(dayAndType));
  const kept = others.filter((action) => !replaced.has(dayAndType(action)));
  const byTerms = new Map([...kept, ...first].map((action) => [termsOf(action), action]));
  return [...byTerms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, action]) => action);
}

const dayAndType = ({ exDate, type }: StoredAction): string => `${exDate} ${type}`;

const termsOf = (action: StoredAction): string =>
  [dayAndType(action), action.oldRate, action.newRate, action.cashPerShare, action.payableDate].join(' ');
