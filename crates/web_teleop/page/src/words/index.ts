/** The words of the language the browser asks for, where there is a translation. */

import { en, type Words } from "./en.ts";

const TRANSLATIONS: Readonly<Record<string, Words>> = { en };

/** The first of the languages that there are words for. */
export function pick(languages: readonly string[]): Words {
  for (const language of languages) {
    const words = TRANSLATIONS[language.slice(0, 2).toLowerCase()];
    if (words) return words;
  }
  return en;
}

export const words: Words = pick(typeof navigator === "undefined" ? [] : navigator.languages);
