/** The merchant's form around Elements: submitting it tokenises instead. */

/** Calls `submit` in place of the form's own submission. Answers how to end that. */
export function interceptForm(element: Element, submit: () => void): () => void {
  const form = element.closest("form");
  const intercept = (event: Event) => {
    event.preventDefault();
    submit();
  };
  form?.addEventListener("submit", intercept);
  return () => form?.removeEventListener("submit", intercept);
}
