import { SourceMap, type SourceMapPayload } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OWN_FOLDER, type Bundle } from './bundleStrategy.ts';
import type { SourcePlace } from './sourceError.ts';

/** Where in a strategy's sources an error was thrown; null when it was not thrown there. */
export type Locate = (thrown: unknown) => SourcePlace | null;

/** How stack traces are to name a bundle, whose lines are not those of the file. */
export const traceName = (file: string): string => `${pathToFileURL(file).href}?bundled`;

/** What to import a bundle by. */
export const bundleUrl = ({ code, file }: Bundle): string =>
  `data:text/javascript;base64,${Buffer.from(`${code}//# sourceURL=${traceName(file)}\n`).toString('base64')}`;

/** Prefers the author's own files to the helpers of ours that they call. */
export function bundleLocator(bundle: Bundle): Locate {
  const name = traceName(bundle.file);
  return (thrown) => {
    const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
    // A host that rewrites stack traces may name the URL instead.
    const frames = stack.replaceAll(bundleUrl(bundle), name).split(`${name}:`).slice(1);
    if (frames.length === 0) return null;
    const map = sourceMapOf(bundle.code);
    const places = frames.flatMap((frame) => placeOf(frame, map, bundle.folder) ?? []);
    return places.find((place) => !place.file.startsWith(OWN_FOLDER)) ?? places[0] ?? null;
  };
}

function sourceMapOf(code: string): SourceMap {
  const [, base64 = ''] = code.split('//# sourceMappingURL=data:application/json;base64,');
  return new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()) as SourceMapPayload);
}

/** `frame` starts with `line:column` in the bundle, counted from 1; source maps count from 0. */
function placeOf(frame: string, map: SourceMap, folder: string): SourcePlace | null {
  const [, line, column] = /^(\d+):(\d+)/.exec(frame) ?? [];
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in entry)) return null;
  const { originalSource, originalLine, originalColumn } = entry;
  const { sources, sourcesContent } = map.payload;
  const source = sourcesContent[sources.indexOf(originalSource)]?.split('\n')[originalLine] ?? '';
  return {
    file: resolve(folder, originalSource),
    line: originalLine + 1,
    column: originalColumn + 1,
    source,
  };
}
