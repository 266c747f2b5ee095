import type { z } from 'zod';
import type { ConfigError } from '../../core/errors.ts';
import { configError } from '../config/problems.ts';
import { problemsOf, type Checked } from '../config/schemaProblems.ts';

/** The error for parameters of the command line that do not fit, a line each. */
export const paramsMisfit = (issues: readonly z.core.$ZodIssue[], checked: Checked): ConfigError =>
  configError(
    problemsOf(issues, checked).map((problem) => ({ ...problem, where: '--params' })),
    (text) => checked.secrets.redact(text),
  );
