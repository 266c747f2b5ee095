import { ConfigError } from '../../core/errors.ts';
import { suggest } from '../../core/suggest.ts';
import type { ParamSet, ParamValue } from './space.ts';

/** Filter for the parameter sets that a search may try. */
export type Constraint = (params: ParamSet) => boolean;

type Evaluate = (params: ParamSet) => ParamValue;
type Token = Readonly<{ text: string; at: number }>;

const TOKEN = /\s*(?:(\d+(?:\.\d+)?|[A-Za-z_]\w*|"[^"]*"|'[^']*'|<=|>=|==|!=|&&|\|\||[-+*/()<>])|(\S))/gy;

const number = (value: ParamValue): number => Number(value);

/** Result in decimal arithmetic: 0.3 - 0.2 is 0.1. */
const decimal = (result: number): number => Number(result.toPrecision(12));

const OPERATORS: Readonly<Record<string, (a: ParamValue, b: ParamValue) => ParamValue>> = {
  '+': (a, b) => decimal(number(a) + number(b)),
  '-': (a, b) => decimal(number(a) - number(b)),
  '*': (a, b) => decimal(number(a) * number(b)),
  '/': (a, b) => decimal(number(a) / number(b)),
  '<': (a, b) => number(a) < number(b),
  '<=': (a, b) => number(a) <= number(b),
  '>': (a, b) => number(a) > number(b),
  '>=': (a, b) => number(a) >= number(b),
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '&&': (a, b) => Boolean(a) && Boolean(b),
  '||': (a, b) => Boolean(a) || Boolean(b),
};

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
/** Operators by precedence, lowest first. */
const LEVELS = [['||'], ['&&'], COMPARISONS, ['+', '-'], ['*', '/']] as const;

/**
 * Parses a condition on parameters: `fast < slow`, `slow - fast >= 10 && mode != "off"`. Supports numbers, quoted
 * texts, parameter names, `+ - * /`, comparisons, `&&`, `||` and parentheses.
 * @param names of all parameters of the strategy
 * @throws {ConfigError} with the position of an error
 */
export function constraintOf(text: string, names: readonly string[]): Constraint {
  const evaluate = new Parser(text, names).whole();
  return (params) => evaluate(params) === true;
}

class Parser {
  readonly #text: string;
  readonly #names: readonly string[];
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string, names: readonly string[]) {
    this.#text = text;
    this.#names = names;
    this.#tokens = [...text.matchAll(TOKEN)].map(({ 0: all, 1: known, 2: odd = '', index }) => {
      const at = index + all.length - (known ?? odd).length;
      if (known === undefined) throw this.#error(`"${odd}" is not understood`, at);
      return { text: known, at };
    });
  }

  whole(): Evaluate {
    const evaluate = this.#level(0);
    const rest = this.#tokens[this.#next];
    if (rest) throw this.#error(`"${rest.text}" was not expected`, rest.at);
    return evaluate;
  }

  #level(level: number): Evaluate {
    const operators: readonly string[] | undefined = LEVELS[level];
    if (!operators) return this.#value();
    let left = this.#level(level + 1);
    for (let token = this.#tokens[this.#next]; token && operators.includes(token.text);) {
      this.#next++;
      const [first, second, apply] = [left, this.#level(level + 1), OPERATORS[token.text]];
      if (!apply) break;
      left = (params) => apply(first(params), second(params));
      token = this.#tokens[this.#next];
      if (operators === COMPARISONS && token && operators.includes(token.text))
        throw this.#error('a comparison has two sides: write a < b && b < c', token.at);
    }
    return left;
  }

  #value(): Evaluate {
    const token = this.#tokens[this.#next++];
    if (!token) throw this.#error('the expression is incomplete', this.#text.length);
    const { text, at } = token;
    if (text === '(') return this.#inParentheses(at);
    if (text === '-') {
      const inner = this.#value();
      return (params) => -number(inner(params));
    }
    if (/^\d/.test(text)) return () => Number(text);
    if (/^["']/.test(text)) return () => text.slice(1, -1);
    if (text === 'true' || text === 'false') return () => text === 'true';
    if (!/^[A-Za-z_]/.test(text)) throw this.#error(`"${text}" was not expected`, at);
    return this.#param(token);
  }

  #inParentheses(at: number): Evaluate {
    const inner = this.#level(0);
    if (this.#tokens[this.#next++]?.text !== ')') throw this.#error('this parenthesis is not closed', at);
    return inner;
  }

  #param({ text, at }: Token): Evaluate {
    if (this.#names.includes(text)) return (params) => params[text] ?? NaN;
    const near = suggest(text, this.#names);
    const remedy = near === undefined ? `There are ${this.#names.join(', ')}` : `Did you mean ${near}?`;
    throw this.#error(`no parameter is called "${text}". ${remedy}`, at);
  }

  #error(problem: string, at: number): ConfigError {
    return new ConfigError(`--constraint "${this.#text}", character ${at + 1}: ${problem}`);
  }
}
