import { isDeepStrictEqual } from 'node:util';
import { epochMs } from '../../src/core/brand.ts';
import { isVenueFault, messageOf, OutcomeUnknownError } from '../../src/core/errors.ts';
import { chanceOf } from '../../src/core/seededRandom.ts';
import type { OperatorAnswer, OperatorCommand, OperatorRequest } from '../../src/domain/operator/command.ts';
import { covers } from '../../src/domain/operator/tradingState.ts';
import { isUnanswered } from '../../src/domain/orders/order.ts';
import type { Life } from './life.ts';
import { commandOf } from './operatorCommand.ts';
import type { Said } from './operatorPlan.ts';
import { completed } from './reloading.ts';
import { isCounted } from './sometimes.ts';
import type { Simulation } from './simulation.ts';
import type { CommandId } from '../../src/domain/operator/restriction.ts';

/** Name of the kill file of a run. */
const KILL_FILE = 'KILL';
/** Longest time in ms after which a run notices its kill file. */
const NOTICED_MS = 1_000;
/** Pause in ms before a client without an answer gives the same id again. */
const AGAIN_MS = 25_000;
const TRIES_MAX = 12;
/** Pause in ms before an operator says again what was refused, and how often. */
const INSIST_MS = 120_000;
const INSISTS_MAX = 3;
/** Pause in ms between two checks for something to decide about, and the number of checks by an operator. */
const LOOK_MS = 180_000;
const LOOKS_MAX = 15;
/** Share of restrictions that are given as an order is planned, in one of so many microtasks after it. */
const RACING = 0.5;
const HOPS = 12;
/** Share of commands during which the process dies. */
const DYING = 0.02;

/** The operator of a run, and their client: it never repeats a command under a new id. */
export class OperatorSide {
  /** Kill files that exist. */
  readonly killFiles = new Set<string>();
  readonly #simulation: Simulation;
  readonly #answers = new Map<CommandId, OperatorAnswer>();
  /** Commands given to the present process that have no answer yet, with how often each was given. */
  readonly #waiting = new Map<CommandId, Readonly<{ request: OperatorRequest; tries: number }>>();
  /** Restrictions that wait for the next order that is planned. */
  readonly #races: (() => void)[] = [];
  #count = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  arm(): void {
    for (const said of this.#simulation.plan.words) this.#simulation.time.at(said.at, () => this.#say(said));
  }

  /** Commands without an answer. */
  get waiting(): readonly OperatorRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Shows a new process the kill files, as it checks them at its start. */
  born(): void {
    if (this.killFiles.size > 0)
      this.#simulation.runner?.heed({ kind: 'killFiles', there: [...this.killFiles] });
  }

  /** Handles the end of a process: waiting clients ask the next one, by the same id. */
  died(): void {
    for (const { request, tries } of [...this.#waiting.values()]) this.#lost(request, tries);
  }

  /** Says a word as soon as there is something to say it of. */
  #say(said: Said, looks = LOOKS_MAX): void {
    if (said.word === 'killFile') return this.#makeKillFile(said);
    const command = commandOf(said, this.#simulation);
    if (!command) {
      if (looks > 1) this.#after(LOOK_MS, () => this.#say(said, looks - 1));
      return;
    }
    if (command.kind === 'trade' && said.rolls.choice < RACING)
      this.#races.push(() => this.#command(said, { ...command, scope: {} }));
    else this.#command(said, command);
  }

  /** Handles an order that has just been planned: a restriction may come before it leaves. */
  planned(): void {
    const race = this.#races.shift();
    if (race) void microtasks(this.#simulation.judge.sends.size % HOPS).then(race);
  }

  #command(said: Said, command: OperatorCommand): void {
    const request = this.#request(command);
    this.#give(request);
    if (said.againMs !== null) this.#after(said.againMs, () => this.#give(request));
    const undo = undoing(command, said);
    if (undo) this.#after(said.ms, () => this.#insist(undo, INSISTS_MAX));
  }

  #makeKillFile({ ms, rolls }: Said): void {
    this.#simulation.tell('operator', 'makes a kill file');
    this.#simulation.sometimes.killFile++;
    this.killFiles.add(KILL_FILE);
    this.#after(rolls.choice * NOTICED_MS, () => this.#noticed());
    this.#after(ms, () => {
      this.#simulation.tell('operator', 'removes the kill file');
      this.killFiles.delete(KILL_FILE);
      this.#after(rolls.size * NOTICED_MS, () => this.#noticed());
      this.#after(INSIST_MS, () => this.#insist({ kind: 'trade', state: 'active', scope: {} }, INSISTS_MAX));
    });
  }

  #noticed(): void {
    const { life, runner } = this.#simulation;
    void life?.awake().then(() => runner?.heed({ kind: 'killFiles', there: [...this.killFiles] }));
  }

  /** Says what lifts a restriction, and says it again, as a new command, where it was refused. */
  #insist(command: OperatorCommand, times: number): void {
    const request = this.#request(command);
    this.#give(request);
    this.#after(INSIST_MS, () => {
      if (times > 1 && this.#answers.get(request.id)?.kind === 'refused') this.#insist(command, times - 1);
    });
  }

  #request(command: OperatorCommand): OperatorRequest {
    const id = `command-${this.#simulation.plan.seed}-${++this.#count}` as CommandId;
    const reason = `for the ${this.#count}. reason`;
    return { id, by: 'somebody (socket)', reason, command };
  }

  #after(ms: number, run: () => void): void {
    const { time } = this.#simulation;
    time.at(epochMs(time.now() + ms), run);
  }

  #give(request: OperatorRequest, tries = 1): void {
    const { life, runner, network, time, sometimes } = this.#simulation;
    if (!life?.alive || !runner) return this.#askLater(request, tries);
    this.#waiting.set(request.id, { request, tries });
    if (runner.phase === 'starting') sometimes.commandAtStart++;
    if (time.now() < network.outageUntil) sometimes.commandInOutage++;
    this.#meets(request);
    if (chanceOf(`${request.id} dies ${tries}`) < DYING) this.#kill(life);
    void life.awake().then(() => {
      this.#simulation.tell('operator', `${request.id} ${textOf(request.command)}`);
      return runner.command(completed(request, runner, this.#simulation)).then(
        (answer) => this.#answered(life, request, answer),
        (error: unknown) => this.#failed(life, request, error),
      );
    });
  }

  /** Ends a process in one of the steps of a command, unless nothing is to go wrong any more. */
  #kill(life: Life): void {
    const { judge, plan, time } = this.#simulation;
    if (time.now() >= plan.healAt) return;
    void microtasks(judge.sends.size % HOPS).then(() => life.die('killed during a command'));
  }

  #answered(life: Life, { id, command }: OperatorRequest, answer: OperatorAnswer): void {
    const { judge, sometimes } = this.#simulation;
    if (!life.alive) return;
    this.#waiting.delete(id);
    this.#simulation.tell('operator', `${id} is ${answer.kind}: ${answer.text}`);
    const first = this.#answers.get(id);
    if (first) sometimes.commandTwice++;
    this.#answers.set(id, first ?? answer);
    if (first && !isDeepStrictEqual(first, answer))
      judge.accuse('P9', `${id} has a second answer, ${answer.text}, after ${first.text}`);
    if (!isDeepStrictEqual(judge.restraint.commands.get(id)?.answer, answer))
      judge.accuse('P9', `${id} has an answer that the journal does not have: ${answer.text}`);
    const isRefused = answer.kind === 'refused';
    if (command.kind === 'trade' && command.state === 'active' && isRefused) sometimes.resumeRefused++;
    if (!isRefused && isCounted(command.kind)) sometimes[`did ${command.kind}`]++;
  }

  #failed(life: Life, request: OperatorRequest, error: unknown): void {
    const isExpected =
      error instanceof OutcomeUnknownError || isVenueFault(error) || messageOf(error) === 'disk full';
    if (life.alive && !isExpected)
      this.#simulation.judge.accuse('crash', error instanceof Error ? (error.stack ?? '') : messageOf(error));
    this.#lost(request, this.#waiting.get(request.id)?.tries ?? 1);
  }

  #lost(request: OperatorRequest, tries: number): void {
    if (!this.#waiting.delete(request.id)) return;
    this.#simulation.sometimes.killDuringCommand++;
    this.#askLater(request, tries);
  }

  #askLater(request: OperatorRequest, tries: number): void {
    if (tries < TRIES_MAX) this.#after(AGAIN_MS, () => this.#give(request, tries + 1));
  }

  #meets({ command }: OperatorRequest): void {
    if (command.kind !== 'flatten') return;
    const live = this.#simulation.runner?.kernel.context.accountState.live.values() ?? [];
    const isUnknownSell = [...live].some((order) => {
      const { symbol, side } = order.terms;
      const { strategyId } = order;
      return side === 'sell' && isUnanswered(order) && covers(command.scope, { strategyId, symbol });
    });
    if (isUnknownSell) this.#simulation.sometimes.flattenWithUnknownSell++;
  }
}

async function microtasks(count: number): Promise<void> {
  for (let hop = 0; hop < count; hop++) await Promise.resolve();
}

/** Command that ends what another one began; null for one that begins nothing, or that stays. */
function undoing(command: OperatorCommand, { rolls }: Said): OperatorCommand | null {
  if (command.kind === 'trade' && command.state !== 'active')
    return { kind: 'trade', state: 'active', scope: command.scope };
  if (command.kind === 'flatten' && rolls.size < 0.7)
    return { kind: 'trade', state: 'active', scope: command.scope };
  return command.kind === 'freeze' ? { kind: 'unfreeze', subject: command.symbol } : null;
}

const textOf = (command: OperatorCommand): string =>
  JSON.stringify(command, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
