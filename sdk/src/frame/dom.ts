/** Small helpers for a document that the server wrote. No markup is ever parsed: Trusted Types forbid it. */

/** The one element of the document that a selector names. It stands in the server's template, so its absence is a defect. */
export function find<Type extends Element = HTMLElement>(selector: string): Type {
  const element = document.querySelector<Type>(selector);
  if (!element) throw new Error(`the document has no ${selector}`);
  return element;
}

/** The same for what only some surfaces have. */
export function findOptional<Type extends Element = HTMLElement>(selector: string): Type | null {
  return document.querySelector<Type>(selector);
}

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Makes an element; `false` and `undefined` leave an attribute out. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** Makes an element of a drawing. */
export function draw(name: string, attributes: Attributes = {}, ...children: readonly (Node | string)[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
}

/** A random identifier: a UUID of version 4. Works where `crypto.randomUUID` is missing, on plain HTTP. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
