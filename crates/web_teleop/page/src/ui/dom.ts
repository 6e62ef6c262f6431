/** Elements in one call. */

type Child = Node | string | undefined;

interface Properties {
  readonly [attribute: string]: string | number | boolean | ((event: never) => void) | undefined;
}

/** `h("button", { class: "x", onclick: f }, "text")`: attributes by name, listeners by `on...`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Properties = {}, ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** Sets text only where it differs: a live region is read out again on every change. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A heading and what belongs to it. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  return h("section", { class: "block" }, h("h2", {}, title), ...children);
}
