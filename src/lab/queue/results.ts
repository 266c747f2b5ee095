import type { TrialOutcome } from '../trials/trial.ts';
import type { Connection, Query } from './connection.ts';
import { fromExactJson, toExactJson } from './exactJson.ts';
import { completeSlice } from './slices.ts';
import { OWN } from './tables.ts';

export type KeyedOutcome = Readonly<{ trial: string; outcome: TrialOutcome }>;

type ResultSlice = Readonly<{
  study: string;
  outcomes: readonly KeyedOutcome[];
  /** Slice that these results complete; null while it continues. */
  slice: string | null;
}>;

/** Books outcomes in one transaction. An outcome with a `runId` already in the study is not counted again. */
export const bookOutcomes = (
  connection: Connection,
  { study, outcomes, slice }: ResultSlice,
): Promise<void> =>
  connection.transaction(async (query) => {
    if (outcomes.length > 0) await insert(query, study, outcomes);
    if (slice !== null) await completeSlice(connection, query, slice);
  });

async function insert(query: Query, study: string, outcomes: readonly KeyedOutcome[]): Promise<void> {
  // Sorted, so that two workers that book the same rows lock them in the same order.
  const rows = outcomes.map(rowOf).sort((a, b) => (a.runId < b.runId ? -1 : 1));
  await query(
    `INSERT INTO ${OWN}.result (study, run_id, outcome, returns)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[]) ON CONFLICT DO NOTHING`,
    [study, rows.map(({ runId }) => runId), rows.map(({ text }) => text), rows.map(({ returns }) => returns)],
  );
  await query(
    `INSERT INTO ${OWN}.trial (study, trial, run_id)
     SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`,
    [study, rows.map(({ trial }) => trial), rows.map(({ runId }) => runId)],
  );
}

type Row = Readonly<{ trial: string; runId: string; text: string; returns: Buffer | null }>;

/** Row of an outcome. A trial without a `runId` (its parameters do not fit, or its worker crashed) uses its key. */
function rowOf({ trial, outcome }: KeyedOutcome): Row {
  if (outcome.state !== 'done')
    return {
      trial,
      runId: outcome.state === 'stopped' ? outcome.runId : trial,
      text: toExactJson(outcome),
      returns: null,
    };
  const { returns, ...rest } = outcome;
  const bytes = Buffer.from(returns.buffer, returns.byteOffset, returns.byteLength);
  return { trial, runId: outcome.runId, text: toExactJson(rest), returns: bytes };
}

/** Booked outcomes of trials, by key. */
export async function outcomesOf(
  { query }: Connection,
  study: string,
  trials: readonly string[],
): Promise<ReadonlyMap<string, TrialOutcome>> {
  const rows = await query<Readonly<{ trial: string; outcome: string; returns: Buffer | null }>>(
    `SELECT trial.trial, result.outcome, result.returns FROM ${OWN}.trial
     JOIN ${OWN}.result USING (study, run_id) WHERE study = $1 AND trial = ANY($2::text[])`,
    [study, trials],
  );
  return new Map(rows.map(({ trial, outcome, returns }) => [trial, outcomeOf(outcome, returns)]));
}

function outcomeOf(text: string, returns: Buffer | null): TrialOutcome {
  const outcome = fromExactJson(text) as TrialOutcome;
  if (outcome.state !== 'done') return outcome;
  // A buffer of the driver may be unaligned.
  return { ...outcome, returns: new Float64Array(Uint8Array.from(returns ?? []).buffer) };
}

/** Records the start of a trial whose slice was lost. Returns the number of its starts since, including this one. */
export async function beginAgain({ query }: Connection, study: string, trial: string): Promise<number> {
  const [row] = await query<{ begun: number }>(
    `INSERT INTO ${OWN}.attempt (study, trial, begun) VALUES ($1, $2, 1)
     ON CONFLICT (study, trial) DO UPDATE SET begun = attempt.begun + 1 RETURNING begun`,
    [study, trial],
  );
  return row?.begun ?? 1;
}
