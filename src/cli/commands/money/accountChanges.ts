import { newYorkDate } from '../../../calendar/zone.ts';
import { ConfigError, closing } from '../../../core/errors.ts';
import type { AccountChange } from '../../../domain/account/accountChange.ts';
import { AccountHistory } from '../../../domain/account/history.ts';
import { UNALLOCATED, UNALLOCATED_NAME } from '../../../domain/account/ledger.ts';
import { ticker, type Ticker } from '../../../domain/instrument.ts';
import { accountEntries } from '../../../store/accountEntries.ts';
import { readJournal } from '../../../store/readJournal.ts';
import type { CommandContext } from '../../../process/context.ts';
import { stateFlagOf } from '../../../app/environment/daemons.ts';
import { journalOf } from '../../../app/environment/journal.ts';

/** Flags of every command that lists an account's trades. */
export type MoneyFlags = Readonly<{
  state?: string;
  year?: string;
  strategy?: string;
  symbol?: string;
  csv?: boolean;
}>;

/** Account changes that a command lists, up to the end of the requested year and for the requested strategy. */
export type AccountView = Readonly<{
  changes: readonly AccountChange[];
  /** True for an instant in the requested year, by its date in New York; always true if no year is given. */
  isInYear: (at: AccountChange['at']) => boolean;
  /** True for the requested stock; always true if none is given. */
  isWanted: (symbol: Ticker | null) => boolean;
  strategyId: string | undefined;
}>;

/** Reads the account's changes from the journal, with or without a run. @throws {ConfigError} for an invalid flag */
export async function accountView(flags: MoneyFlags, context: CommandContext): Promise<AccountView> {
  const year = yearOf(flags.year);
  const symbol = flags.symbol === undefined ? undefined : ticker(flags.symbol);
  if (flags.csv && context.json) throw new ConfigError('choose either --csv or --json');
  const { file } = journalOf(await stateFlagOf(flags, context), context);
  const history = new AccountHistory();
  const changes: AccountChange[] = [];
  closing(readJournal(file), (reader) => {
    for (const line of accountEntries(reader)) changes.push(...history.apply(line));
  });
  noteUnknown(symbol, changes, context);
  return {
    changes: year === undefined ? changes : changes.filter(({ at }) => newYorkDate(at).slice(0, 4) <= year),
    isInYear: (at) => year === undefined || newYorkDate(at).startsWith(`${year}-`),
    isWanted: (each) => symbol === undefined || each === symbol,
    strategyId: strategyIn(history, flags.strategy),
  };
}

/** Reports a stock that is not in the journal: its list may be empty because the symbol is misspelt. */
function noteUnknown(
  asked: Ticker | undefined,
  changes: readonly AccountChange[],
  context: CommandContext,
): void {
  const known = new Set(changes.flatMap(({ symbol }) => symbol ?? []));
  if (asked === undefined || known.has(asked)) return;
  context.terminal.err(
    `--symbol: this journal has no ${asked}. It has ${[...known].sort().join(', ') || 'no stock'}`,
  );
}

const YEAR = /^(19|20|21)\d\d$/;

function yearOf(text: string | undefined): string | undefined {
  if (text === undefined || YEAR.test(text)) return text;
  throw new ConfigError(`--year: ${JSON.stringify(text)} is not a year: write YYYY, as 2026`);
}

/** Owner named by a flag. @throws {ConfigError} when the journal has none of that name */
function strategyIn({ account }: AccountHistory, name: string | undefined): string | undefined {
  if (name === undefined || account.allocations.has(name)) return name;
  if (name === UNALLOCATED_NAME) return UNALLOCATED;
  const known = [...account.allocations.keys(), UNALLOCATED_NAME];
  throw new ConfigError(
    `--strategy: this journal has no strategy ${JSON.stringify(name)}. There are ${known.join(', ')}`,
  );
}
