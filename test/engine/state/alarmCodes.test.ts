import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { ALARMS, commandOf, severityOf } from '../../../src/engine/state/alarmCodes.ts';
import { AlarmBook } from '../../../src/engine/state/alarms.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { problemOf } from '../../cli/support/parser.ts';

/** Calls of `alarm`, and of `notify` with the kind of an alarm, that name no code. */
function withoutCode(file: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node)) return;
    const name = node.expression.getText().split('.').at(-1);
    const [kind = ''] = node.arguments.map((argument) => argument.getText());
    const isAlarm = name === 'alarm' || (name === 'notify' && kind.includes("'alarm'"));
    const isCoded = node.arguments.some((argument) => /code|^aboutOrder\(/.test(argument.getText()));
    if (isAlarm && node.arguments.length > 1 && !isCoded) found.push(`${file}: ${node.getText()}`);
  };
  visit(source);
  return found;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/${file}`);

describe('the code of an alarm', () => {
  test('is given wherever an alarm is raised', () => {
    expect(files.flatMap(withoutCode)).toEqual([]);
  });

  test('has the form of a constant', () => {
    expect(Object.keys(ALARMS).filter((code) => !/^[A-Z]+(_[A-Z]+)*$/.test(code))).toEqual([]);
  });

  test.each(Object.entries(ALARMS))(
    '%s has a command the parser accepts, or says why none helps',
    (_, entry) => {
      if ('without' in entry) expect(entry.without).toMatch(/^[a-z].{15,}/);
      else expect(problemOf(entry.command)).toBeNull();
    },
  );

  test.each([
    ['drover status', null],
    ['drover unfreeze', 'lacks <symbol>'],
    ['drover wallet', 'does nothing by itself'],
    ['drover unfreeze SYMBOL --why TEXT', 'has no flag --why'],
    ['drover unfreeze SYMBOL OTHER', 'takes fewer arguments'],
    ['drover mend', 'is no command'],
  ])('problemOf(`%s`) is %s', (command, problem) => {
    expect(problemOf(command)).toBe(problem);
  });

  test('leads to its command, with the subject filled in', () => {
    expect(commandOf('FROZEN', 'AAPL', null)).toBe('drover unfreeze AAPL --reason TEXT');
    expect(commandOf('PRICE_JUMP', 'AAPL', null)).toBeNull();
    expect(commandOf('DRAWDOWN', null, 'solo')).toBe('drover resume --strategy solo --reason TEXT');
    expect(commandOf('HALTED', null, null)).toBe('drover resume --reason TEXT');
  });

  test('is one step more severe after an hour without acknowledgement', () => {
    const hour = 3_600_000;
    expect([severityOf('CLOCK_APART', hour - 1), severityOf('CLOCK_APART', hour)]).toEqual([
      'warning',
      'critical',
    ]);
    expect(severityOf('EXIT_NOT_SOLD', 0)).toBe('critical');
  });
});

test('an all-clear names the alarm it ends', () => {
  const book = new AlarmBook();
  const notice = {
    at: epochMs(0),
    strategyId: null,
    about: 'clock',
    text: 'apart',
    code: 'CLOCK_APART',
  } as const;
  book.take({ ...notice, kind: 'alarm' });
  const [alarm] = book.all;
  expect(alarm).toMatchObject({ code: 'CLOCK_APART', symbol: null });
  expect(book.take({ ...notice, kind: 'clear', text: 'agree' }).ends).toBe(alarm?.id);
  expect(book.take({ ...notice, kind: 'clear', text: 'agree' }).ends).toBeUndefined();
});
