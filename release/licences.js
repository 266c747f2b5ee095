import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BETWEEN = '\n---\n\n';

export function licencesOf(inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const licences = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : 'MIT License'}\n`;
  });
  return licences.join(BETWEEN);
}

export const packagesIn = (licences) =>
  licences.split(BETWEEN).map((part) => (part.split('\n')[0] ?? '').replace(/ (?=[^ ]+$)/, '@'));
