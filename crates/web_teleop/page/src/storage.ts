/** What this browser remembers for the page; nothing, where it is set to remember nothing. */

type Kind = "localStorage" | "sessionStorage";

/** Reading may throw as well: a browser that blocks cookies blocks this. */
export function recall(kind: Kind, key: string): string | undefined {
  try {
    return globalThis[kind].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function forget(kind: Kind, key: string): void {
  try {
    globalThis[kind].removeItem(key);
  } catch {
    // There is nothing to be forgotten.
  }
}

export function remember(kind: Kind, key: string, value: string): void {
  try {
    globalThis[kind].setItem(key, value);
  } catch {
    // It counts until the page is loaded again.
  }
}
