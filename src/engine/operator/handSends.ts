import type { OperatorAnswer, OperatorCommand, OperatorRequest } from '../../domain/operator/command.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { Treasury } from '../treasury/treasury.ts';

export type HandParts = Readonly<{ treasury: Treasury }>;
type Of<K extends OperatorCommand['kind']> = Extract<OperatorCommand, { kind: K }>;

/** Orders and transfers by hand, through the gate and the books of the run. */
export class HandSends {
  readonly #context: EngineContext;
  readonly #treasury: Treasury;

  constructor(context: EngineContext, { treasury }: HandParts) {
    this.#context = context;
    this.#treasury = treasury;
  }

  order(_request: OperatorRequest, _command: Of<'order'>): OperatorAnswer {
    const may = this.#treasury.mayBegin && this.#context.delegated;
    return { kind: 'refused', because: 'safety', text: `not possible yet ${may}` };
  }

  transfer(_request: OperatorRequest, _command: Of<'transfer'>): OperatorAnswer {
    return { kind: 'refused', because: 'safety', text: 'not possible yet' };
  }
}
