import { CODES, type Code } from './words.ts';

/** The venue says no: HTTP 400, with this code and text in the envelope. */
export class Refusal extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

export const invalid = (what: string): Refusal => new Refusal(CODES.validation, what);
export const notFound = (what: string): Refusal => new Refusal(CODES.notFound, what);
export const against = (rule: string): Refusal => new Refusal(CODES.rule, rule);
export const failedOnChain = (why: string): Refusal => new Refusal(CODES.chain, why);
export const undelegated = (why: string): Refusal => new Refusal(CODES.chain, why);
