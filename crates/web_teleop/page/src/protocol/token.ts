/** The token by which a robot lets a page in: it comes in the URL's fragment, which no server or proxy sees. */

import { recall, remember } from "../storage.ts";

const KEY = "hexapod.token";
const FORM = /^[A-Za-z0-9_-]{16,64}$/;

/** The token in a fragment such as `#token=...`. */
export function tokenIn(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, "")).get("token");
  return token !== null && FORM.test(token) ? token : undefined;
}

/** Moves a token from the address bar to this tab's memory, and returns the one to use. */
export function claimToken(): string | undefined {
  const given = tokenIn(location.hash);
  if (given !== undefined) {
    remember("sessionStorage", KEY, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given ?? recall("sessionStorage", KEY);
}
