/**
 * The model's verdict on one request: the rules it breaks, and the responses that the venue may therefore give.
 *
 * Sources: the specification's "Errors" and the assumed codes. A request that breaks several rules may be refused for
 * any of them, because the order of checks is not documented.
 */
export interface Fault {
  readonly rule: string;
  readonly codes: readonly number[];
  /** Words that the specification documents for this refusal. */
  readonly text?: RegExp;
  /** False where the specification is silent: the venue may refuse or accept. */
  readonly sure: boolean;
}

export interface Answer {
  readonly status: number;
  readonly code: number;
  readonly errMsg: string;
  readonly data: unknown;
}

export const UNAUTHORISED = 401;
export const VALIDATION = 10_000;
export const NOT_FOUND = 10_001;
export const TRADING_RULE = 10_002;
export const ON_CHAIN = 10_003;

/** A broken rule that the specification refuses. Its code is assumed. */
export const broken = (rule: string, codes: readonly number[], text?: RegExp): Fault => ({
  rule,
  codes,
  sure: true,
  ...(text === undefined ? {} : { text }),
});

/** A request about which the specification says nothing. */
export const silent = (rule: string): Fault => ({
  rule,
  codes: [VALIDATION, NOT_FOUND, TRADING_RULE, ON_CHAIN],
  sure: false,
});

const wasAccepted = (answer: Answer) => answer.status === 200 && answer.code === 200;

const refusalDifference = (answer: Answer, faults: readonly Fault[]): string | undefined => {
  const names = faults.map((fault) => fault.rule).join(', ');
  const said = `HTTP ${answer.status}, code ${answer.code}, "${answer.errMsg}"`;
  if (answer.status !== 400) return `refused (${names}) with HTTP ${answer.status} instead of 400: ${said}`;
  const matching = faults.filter((fault) => fault.codes.includes(answer.code));
  if (matching.length === 0) return `refused with a code of no rule it breaks (${names}): ${said}`;
  if (matching.every((fault) => fault.text !== undefined && !fault.text.test(answer.errMsg)))
    return `refused without the documented words (${names}): ${said}`;
  return undefined;
};

/** Compares a response of the venue with the rules that the request breaks; undefined where they agree. */
export const differenceOf = (answer: Answer, faults: readonly Fault[]): string | undefined => {
  const sure = faults.filter((fault) => fault.sure);
  if (wasAccepted(answer)) {
    if (sure.length === 0) return undefined;
    return `accepted, although it breaks: ${sure.map((fault) => fault.rule).join(', ')}`;
  }
  if (faults.length === 0)
    return `refused, although it breaks no rule: HTTP ${answer.status}, code ${answer.code}, "${answer.errMsg}"`;
  return refusalDifference(answer, faults);
};
