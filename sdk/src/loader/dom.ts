/** Elements of the loader's own in the merchant's page: in shadow roots, so that the page's style does not reach them. */

/** An element with properties and children. Texts become text nodes. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A shadow root of the element. The style is a constructed sheet: no policy of the page forbids it. */
export function shadowOf(host: HTMLElement, css: string): ShadowRoot {
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  return root;
}
