import type { Mutant } from './mutant.ts';

/** Bugs in a run's handling of operator commands. */
export const steeringMutants: readonly Mutant[] = [
  {
    name: 'answer-before-its-commit',
    what: 'after a journal that broke, the next step carries out and answers what was never written',
    edits: [
      {
        file: 'src/engine/runtime/commitLoop.ts',
        find: '        this.#trouble ??= { why: messageOf(error), since: this.#options.clock.monotonic() };\n        throw error;',
        replace: '        throw error;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/commitLoop.test.ts'] },
  },
  {
    name: 'look-that-breaks-unheard',
    what: 'a run goes on although the step after the look for a command has broken it',
    edits: [
      {
        file: 'src/engine/runtime/pendingCommands.ts',
        find: '    } catch (error) {\n      onFatal(error);\n    }\n    this.#isLooking = false;',
        replace: '    } catch {\n      this.#unlooked = [];\n    }\n    this.#isLooking = false;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/pendingCommands.test.ts'] },
  },
  {
    name: 'look-begun-before-the-command',
    what: 'a command is decided by a look at the venue that had begun before it came',
    edits: [
      {
        file: 'src/engine/runtime/pendingCommands.ts',
        find: '        const look = await this.#lookOnce();\n        this.#looked(ids, { asked, look });',
        replace:
          '        const look = await this.#lookOnce();\n        this.#looked([...ids, ...this.#unlooked.splice(0)], { asked, look });',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/pendingCommands.test.ts'] },
  },
  {
    name: 'command-forgotten-over-a-restart',
    what: 'a command of an earlier run is carried out again when its id is given to this one',
    edits: [
      {
        file: 'src/engine/operator/operator.ts',
        find: '    if (known) {\n      if (known.answer) this.#context.answer({ id, answer: known.answer });',
        replace:
          '    if (known && this.#own.has(id)) {\n      if (known.answer) this.#context.answer({ id, answer: known.answer });',
      },
      {
        file: 'src/engine/operator/operator.ts',
        find: "    this.#context.record({ kind: 'operator', ...request });\n",
        replace: "    this.#own.add(id);\n    this.#context.record({ kind: 'operator', ...request });\n",
      },
      {
        file: 'src/engine/operator/operator.ts',
        find: '  readonly #steering: Steering;\n',
        replace: '  readonly #steering: Steering;\n  readonly #own = new Set<CommandId>();\n',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/handOrderRaces.test.ts'] },
  },
  {
    name: 'hand-order-past-the-halt',
    what: 'an order by hand leaves although trading is halted since it was planned',
    edits: [
      {
        file: 'src/engine/risk/restrictions.ts',
        find: 'if (accountState.trading.isActive) return null;',
        replace: 'if (accountState.trading.isActive || isOfRunner(accountState, order)) return null;',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/handOrderRaces.test.ts'] },
  },
  {
    name: 'unnamed-daemon-steered',
    what: 'a command steers the only daemon of this user although it trades real money and nobody has named it',
    edits: [
      {
        file: 'src/cli/commands/daemon/beside.ts',
        find: '    if (!isNamed(flags, context)) await requireNoMoney(stateDir, client);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/daemon/giving.test.ts'] },
  },
  {
    name: 'old-command-forgotten',
    what: 'a command whose id was used ten thousand commands ago is carried out again',
    edits: [
      {
        file: 'src/domain/operator/operatorCommands.ts',
        find: 'return this.byId.get(id) ?? this.old.of(id);',
        replace: 'return this.byId.get(id);',
      },
    ],
    caughtBy: { tests: ['test/domain/operator/command.test.ts'] },
  },
];
