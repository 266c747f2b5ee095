import { compareAccount } from '../../domain/account/comparison.ts';
import { isTicker } from '../../domain/instrument.ts';
import type { JournalEvent, JournalEventOf } from '../../domain/journalEvent.ts';
import { describeExternal, type External } from '../../domain/orders/reportMatching.ts';
import { describeScope, restrictionName } from '../../domain/operator/tradingState.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { OperatorRequest } from '../../domain/operator/command.ts';
import type { StockTermsCheck } from '../account/termsCheck.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { VenueLook } from '../state/kernelEvent.ts';
import { acceptBalance } from './balanceAcceptance.ts';
import { type Decision, type Evidence, Refused } from './decision.ts';
import type { KillFiles } from './killFiles.ts';
import { refuseResolution, resolve } from './resolution.ts';
import { refuseOvertaken, refuseResumption, resume } from './resumption.ts';
import { refuseRefrozen, unfreeze } from './unfreezing.ts';

/** Decisions of an operator about the account, each based on a read of the venue after the command. */
export class Decisions {
  readonly #context: EngineContext;
  readonly #stockTerms: StockTermsCheck;
  readonly #killFiles: KillFiles;

  constructor(context: EngineContext, stockTerms: StockTermsCheck, killFiles: KillFiles) {
    this.#context = context;
    this.#stockTerms = stockTerms;
    this.#killFiles = killFiles;
  }

  /** Refuses a command that is wrong whatever the venue shows. @throws {Refused} */
  refuse({ command }: OperatorRequest): undefined {
    if (command.kind === 'trade' && command.state === 'active')
      refuseResumption(this.#context.accountState, command, this.#killFiles.there);
    if (command.kind === 'resolve') refuseResolution(this.#context, command.id);
  }

  /** Begins a command that waits for a read: an operator's statement on an order applies to reads from now on. */
  begin({ command }: OperatorRequest): void {
    if (command.kind === 'resolve') this.#context.operatorWords.take(command.id as OrderId);
  }

  /**
   * Decides on the venue as just read; null if another read is needed. `looks`: number of reads since the command.
   * @throws {Refused}
   */
  decide(request: OperatorRequest, look: VenueLook, looks: number): Decision | null {
    const { command, reason } = request;
    if (command.kind === 'resolve') return resolve(this.#context, command.id, looks);
    if (command.kind === 'acceptOrder') return acceptOrder(this.#context, command.txHash, reason);
    const evidence = this.#evidenceOf(look);
    if (command.kind === 'accept') return acceptBalance(this.#context, { ...command, reason }, evidence);
    if (command.kind === 'unfreeze') {
      const parts = { context: this.#context, stockTerms: this.#stockTerms };
      refuseRefrozen(parts, request.id, command);
      return unfreeze(parts, { ...command, reason }, evidence);
    }
    if (command.kind !== 'trade') return null;
    refuseResumption(this.#context.accountState, command, this.#killFiles.there);
    refuseOvertaken(this.#context.accountState, { id: request.id, command });
    return resume(this.#context, { request, command }, evidence);
  }

  /**
   * Records the changes of a decision. A stock whose new terms were accepted is held until it is listed with them;
   * differences are compared again at once.
   */
  carryOut(events: readonly JournalEvent[]): void {
    const isPinned = events.some(({ kind }) => kind === 'pinned');
    for (const event of events) {
      recordDecision(this.#context, event);
      this.#clearAlarm(event);
      if (event.kind === 'released' && isPinned)
        this.#context.holds.put('contract', 'its accepted terms count from the next listing', event.symbol);
    }
    this.#context.ask({ kind: 'readAccount' });
  }

  #clearAlarm(event: JournalEvent): void {
    if (event.kind === 'released')
      this.#context.allClear(`frozen ${event.symbol}`, `${event.symbol} is no longer frozen`);
    if (event.kind === 'pinned')
      for (const { subject } of event.pins)
        if (this.#context.raised.has(`terms ${subject}`))
          this.#context.allClear(
            `terms ${subject}`,
            `${subject}: the terms that the venue states are accepted`,
          );
    if (event.kind === 'restrictionLifted') this.#clearRestriction(event);
  }

  /** Reports that a restriction is lifted, and whether another one of the scope remains. */
  #clearRestriction({ cause, scope, by }: JournalEventOf<'restrictionLifted'>): void {
    const what = describeScope(scope);
    const rest = this.#context.accountState.trading.over(scope);
    const text = rest
      ? `the restriction of ${what} by ${cause} is lifted by ${by}, and it is still ${rest.state}: ${rest.reason}`
      : `trading of ${what} continues: resumed by ${by}`;
    this.#context.allClear(restrictionName({ cause, scope }), text);
  }

  /** Ends a refused command: its statement no longer counts. */
  end({ command }: OperatorRequest): void {
    if (command.kind === 'resolve') this.#context.operatorWords.withdraw(command.id as OrderId);
  }

  /** @throws {Refused} while the ledger is not open */
  #evidenceOf({ rows, report: shown }: VenueLook): Evidence {
    if (!shown)
      throw new Refused(
        'safety',
        'the ledger is not open yet: nothing was changed. Accept the external orders first (`drover orders accept TX --reason TEXT`)',
      );
    const report = this.#stockTerms.counted(shown);
    return { rows, report, mismatches: compareAccount(this.#context.accountState, report) };
  }
}

function recordDecision(context: EngineContext, event: JournalEvent): void {
  if (event.kind === 'balanceAccepted' && event.side === 'venue' && isTicker(event.asset))
    context.recordBringing(event.asset, event);
  else context.record(event);
}

/** Accepts an external order as known and intended. @throws {Refused} if no such order waits to be accepted */
function acceptOrder({ accountState }: EngineContext, name: string, reason: string): Decision {
  const { unaccepted } = accountState.externals;
  const order = named(name.toLowerCase(), unaccepted);
  const { txHash } = order;
  const left = [...unaccepted.keys()].filter((other) => other !== txHash);
  return {
    text: [
      `accepted: ${describeExternal(order)}`,
      ...(left.length === 0 ? [] : [`not accepted yet: ${left.join(', ')}`]),
    ].join('\n'),
    result: { accepted: txHash, reason, left },
    events: [{ kind: 'externalAccepted', txHash, reason }],
  };
}

function named(txHash: string, unaccepted: ReadonlyMap<string, External>): External {
  const order = [...unaccepted.values()].find((one) => one.txHash.toLowerCase() === txHash);
  if (order) return order;
  const names = [...unaccepted.keys()];
  throw new Refused(
    'usage',
    `no order ${txHash} waits to be accepted${names.length === 0 ? '' : `: ${names.join(', ')} ${names.length === 1 ? 'does' : 'do'}`}. Nothing was changed`,
  );
}
