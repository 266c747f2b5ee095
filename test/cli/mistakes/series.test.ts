import { describe } from 'vitest';
import { answersEach, bars, strategy } from './mistakes.ts';

const mine = (series: string) =>
  strategy('{}', `{ bars: [{ symbol: 'SPY', interval: '1d' }], series: ${series} }`);
const backtest = 'backtest --strategy ./mine.ts --bars SPY=spy.csv';
const files = (text: string, series = "[{ name: 'mood', numbers: ['level'] }]") => ({
  'mine.ts': mine(series),
  'spy.csv': bars,
  'mood.csv': text,
});
const good = 'known,level\n2026-01-02,1\n';
const entry = (series: string) => `strategies:\n  - { id: one, use: ./mine.ts, capital: 1000${series} }\n`;

describe('a dated series:', () => {
  answersEach([
    {
      mistake: 'no file',
      command: backtest,
      files: files(good),
      place: 'mine',
      reason: 'asks for the series mood, and is given no file',
      remedy: '--series mood=FILE',
    },
    {
      mistake: 'another name',
      command: `${backtest} --series moood=mood.csv`,
      files: files(good),
      place: 'mine',
      reason: 'is given the series moood, but asks for mood',
      remedy: 'correct the name',
    },
    {
      mistake: 'a file alone',
      command: `${backtest} --series mood.csv`,
      files: files(good),
      place: '--series',
      reason: '"mood.csv"',
      remedy: 'write NAME=FILE',
    },
    {
      mistake: 'a file that is not there',
      command: `${backtest} --series mood=moods.csv`,
      files: files(good),
      place: 'moods.csv',
      reason: 'there is no such file',
      remedy: 'Correct the path',
    },
    {
      mistake: 'a cell that is not a number',
      command: `${backtest} --series mood=mood.csv`,
      files: files('known,level\n2026-01-02,1\n2026-01-03,1.2x\n'),
      place: 'mood.csv:3',
      reason: 'level is "1.2x", which is not a number',
      remedy: 'write a decimal such as 191.25',
    },
    {
      mistake: 'newest first',
      command: `${backtest} --series mood=mood.csv`,
      files: files('known,level\n2026-01-03,1\n2026-01-02,2\n'),
      place: 'mood.csv:3',
      reason: 'before 2026-01-04T05:00:00Z of the row above',
      remedy: 'rows must be in the order in which they became known',
    },
    {
      mistake: 'a need without columns',
      command: `${backtest} --series mood=mood.csv`,
      files: files(good, "[{ name: 'mood' }]"),
      place: 'mine, data.series.0',
      reason: 'expected columns to read',
      remedy: "numbers: ['eps']",
    },
    {
      mistake: 'a flag together with a config',
      command: 'backtest run.yaml --bars SPY=spy.csv --series mood=mood.csv',
      files: { ...files(good), 'run.yaml': entry('') },
      place: '--series',
      reason: 'goes with --strategy',
      remedy: 'write series: { NAME: FILE }',
    },
    {
      mistake: 'no file in the config of a run',
      command: 'run run.yaml',
      files: { ...files(good), 'run.yaml': entry('') },
      place: 'run.yaml:2',
      reason: 'one asks for the series mood, and is given no file',
      remedy: 'in a config series: { mood: FILE }',
    },
    {
      mistake: 'a wrong file in the config of a run',
      command: 'run run.yaml',
      files: { ...files('known\n'), 'run.yaml': entry(', series: { mood: mood.csv }') },
      place: 'mood.csv:1',
      reason: 'there is no column level, which the strategy asks for',
      remedy: 'There are none beside known',
    },
  ]);
});
