import type { OperatorAnswer, OperatorRequest } from '../../domain/operator/command.ts';
import type { StockTermsCheck } from '../account/termsCheck.ts';
import type { EngineContext } from '../state/engineContext.ts';

export type DecisionParts = Readonly<{ stockTerms: StockTermsCheck }>;

/** Decisions of an operator about the account: each is made on what the venue showed after the command. */
export class Decisions {
  readonly #context: EngineContext;
  readonly #stockTerms: StockTermsCheck;

  constructor(context: EngineContext, { stockTerms }: DecisionParts) {
    this.#context = context;
    this.#stockTerms = stockTerms;
  }

  /** Answer of a command that cannot be right whatever the venue shows; null for one that waits for the look. */
  begin(_request: OperatorRequest): OperatorAnswer | null {
    return null;
  }

  /** Decides on the venue as just read. */
  decide(_request: OperatorRequest): OperatorAnswer {
    const frozen = this.#stockTerms.sharingOf('' as never) ?? this.#context.accountState.frozen.size;
    return { kind: 'refused', because: 'safety', text: `not possible yet: ${frozen} frozen` };
  }
}
