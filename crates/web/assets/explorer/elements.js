/**
 * Elements of the page, made without markup in texts: nothing that comes from elsewhere is ever parsed as HTML.
 */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Makes an element. Attributes that are `undefined` or `false` are left out; `true` is an empty one.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | undefined>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child) made.append(child);
  }
  return made;
}

/**
 * The element with an id, of the type that is expected.
 *
 * @template {HTMLElement} Type
 * @param {string} id
 * @param {new () => Type} type
 * @returns {Type}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no element "${id}"`);
  return found;
}

/**
 * A button that does something.
 *
 * @param {string} label
 * @param {() => void} act
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(label, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/**
 * Says something to a screen reader, politely.
 *
 * @param {string} text
 */
export function announce(text) {
  byId("live", HTMLElement).textContent = text;
}
