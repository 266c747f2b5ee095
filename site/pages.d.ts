export type Link = Readonly<{ title: string; page: string }>;
export type Section = Readonly<{ title: string; links: readonly Link[] }>;

/** Files outside `docs/` that are pages of the site, by their path in the repository. */
export const BESIDE: readonly string[];
/** Sections of a table of contents: lists of links, each under a paragraph that ends with a colon. */
export function sectionsOf(contents: string): readonly Section[];
/** Path within the site of a file of the repository; null for what is not part of the site. */
export function sitePath(file: string): string | null;
/** Address within the site of a link of a page; null for what is not part of the site. */
export function placeOf(page: string, target: string): string | null;
/** Text of a page with its links as they are within the site. */
export function forSite(page: string, text: string): string;
/** First paragraph of a page, on one line and without markup. */
export function introductionOf(text: string): string;
/** Anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string;
/** The list of pages for language models (llmstxt.org). `textOf` reads a page of `docs/`. */
export function llmsText(sections: readonly Section[], textOf: (page: string) => string): string;
