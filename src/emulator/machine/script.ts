import { z } from 'zod';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { commands, parseCommand, runCommand, type Command } from './commands.ts';
import type { State, Step } from '../state/state.ts';
import { schedule, type VenueState } from '../state/venueState.ts';

const KINDS = Object.keys(commands) as [Command['kind'], ...Command['kind'][]];

/** Commands that are carried out at their instants. Comes on top of the steps that are still to come. */
export const script = z.strictObject({
  steps: z
    .array(z.strictObject({ at: z.iso.datetime(), command: z.enum(KINDS), body: z.json() }))
    .min(1)
    .max(1000),
});

export type Script = z.output<typeof script>;

/** @throws {InvalidValueError} when a step is in the past; z.ZodError for a body that is wrong; nothing has changed then */
export function addSteps({ state }: VenueState, { steps }: Script, now: EpochMs): void {
  const parsed = steps.map(({ at, command, body }, index): Step => {
    const instant = epochMs(Date.parse(at));
    if (instant < now)
      throw new InvalidValueError(`steps[${index}]: it is ${toIso(now)} already, past ${at}`);
    return { at: instant, command: parseStep(command, body, index), isDone: false, error: null };
  });
  for (const step of parsed) {
    schedule(state, { due: step.at, kind: 'step', id: state.script.length });
    state.script.push(step);
  }
}

function parseStep(kind: Command['kind'], body: unknown, index: number): Command {
  try {
    return parseCommand(kind, body);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new InvalidValueError(`steps[${index}] (${kind}): ${z.prettifyError(error)}`);
  }
}

/** Forgets the steps that are still to come. */
export function clearSteps({ state }: VenueState): void {
  state.tasks = state.tasks.filter(({ kind }) => kind !== 'step');
  state.script.splice(0);
}

/** The time of a step has come. */
export function runStep(venue: VenueState, id: number, at: EpochMs): void {
  const step = venue.state.script[id];
  if (!step) return;
  step.isDone = true;
  try {
    runCommand(venue, step.command as Command, at);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    step.error = error.message;
  }
}

export const scriptView = ({ script: steps }: State) =>
  steps.map(({ at, command: { kind, body }, isDone, error }) => ({
    at: toIso(at),
    command: kind,
    body,
    isDone,
    error,
  }));
