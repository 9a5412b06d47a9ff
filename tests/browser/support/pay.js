// The merchant's own script on the pay page: mounts what the page's JSON describes and notes every callback.
{
  const { surface, options } = JSON.parse(document.getElementById("options").textContent);
  const seen = [];
  window.seen = seen;
  const note = (name) => (...values) => {
    // Callbacks give plain data; what is not would be lost here and is found by the tests.
    seen.push({ name, values: JSON.parse(JSON.stringify(values)), at: performance.now() });
  };
  const names = ["onError", "onLoaded", "onChange", "onCancel", "onStateChange", surface === "card" ? "onPaymentRequest" : "onPaymentComplete"];
  const callbacks = Object.fromEntries(names.map((name) => [name, note(name)]));
  window.mount = (element = "#checkout", more = {}) => {
    const load = surface === "card" ? Pointsman.loadCheckoutSdkElement : Pointsman.loadCheckoutSdkDropIn;
    return load(element, { ...options, ...callbacks, ...more }).then(
      (instance) => {
        window.instance = instance;
        return instance;
      },
      (error) => {
        note("refused")(String(error));
      },
    );
  };
  window.addEventListener("message", (event) => {
    window.messages ??= [];
    window.messages.push({ origin: event.origin, data: event.data });
  });
  document.addEventListener("securitypolicyviolation", (event) => note("violation")(event.violatedDirective, event.blockedURI, event.sourceFile));
  mount();
}
