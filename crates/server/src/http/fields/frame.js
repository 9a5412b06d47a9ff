// The inside of the stand-in's frame: the only document that sees the card. It sends it to the stand-in's own server.
(() => {
  "use strict";
  const FIELDS = ["number", "expiry", "cvc"];
  const STYLE = ["ground", "control", "ink", "quiet", "focus", "ring", "error", "radius", "font", "size", "label-size", "line"];
  const input = (field) => document.getElementById(field);
  const form = document.getElementById("fields");
  const digits = (text) => text.replace(/[^0-9]/g, "");
  let texts = {};
  let account = "";
  const shown = new Set();

  const passesLuhn = (number) => [...number].reverse().reduce((sum, digit, at) => {
    const doubled = at % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return sum + (doubled > 9 ? doubled - 9 : doubled);
  }, 0) % 10 === 0;

  const dateOf = (text) => {
    const [, month, year] = /^(\d{1,2})(?:\s*\/\s*|)(\d{2}|\d{4})$/.exec(text.trim()) ?? [];
    if (!month) return undefined;
    return { month: Number(month), year: Number(year.length === 2 ? `20${year}` : year) };
  };

  const PROBLEMS = {
    cvc: (text) => {
      if (text === "") return "required";
      return digits(text).length < 3 ? "min-length" : undefined;
    },
    expiry: (text) => {
      if (text === "") return "required";
      const date = dateOf(text);
      if (!date || date.month < 1 || date.month > 12) return "pattern";
      const now = new Date();
      return date.year * 12 + date.month < now.getFullYear() * 12 + now.getMonth() + 1 ? "expired" : undefined;
    },
    number: (text) => {
      const number = digits(text);
      if (number === "") return "required";
      if (number.length < 12) return "min-length";
      return passesLuhn(number) ? undefined : "invalid-number";
    },
  };

  const problemOf = (field) => PROBLEMS[field](input(field).value);
  const keyOf = (field, problem) => `card.${field}.errors.${problem}`;

  window.addEventListener("message", ({ data, ports, source }) => {
    const [port] = ports;
    if (source !== window.parent || !port || port.onmessage) return;
    const post = (message) => port.postMessage(message);

    const apply = (setup) => {
      texts = setup.texts;
      document.documentElement.lang = setup.language;
      document.documentElement.dir = setup.style.direction === "rtl" ? "rtl" : "ltr";
      form.dataset.layout = setup.style.layout;
      document.documentElement.dataset.border = setup.style.border;
      document.documentElement.style.setProperty("color-scheme", setup.style.scheme);
      for (const name of STYLE) document.documentElement.style.setProperty(`--${name}`, setup.style[name]);
      for (const field of FIELDS) {
        document.querySelector(`label[for="${field}"]`).textContent = texts[`card.${field}.aria-label`];
        input(field).placeholder = texts[`card.${field}.placeholder`];
        show(field);
      }
    };

    const show = (field) => {
      const problem = shown.has(field) ? problemOf(field) : undefined;
      input(field).toggleAttribute("aria-invalid", false);
      if (problem) input(field).setAttribute("aria-invalid", "true");
      document.getElementById(`error-${field}`).textContent = problem ? texts[keyOf(field, problem)] : "";
    };

    const report = () => {
      const errors = {};
      for (const field of FIELDS) {
        const problem = problemOf(field);
        if (problem && shown.has(field)) errors[field] = keyOf(field, problem);
      }
      const isComplete = FIELDS.every((field) => !problemOf(field));
      post({ errors, isComplete, isEmpty: FIELDS.every((field) => input(field).value === ""), type: "change" });
    };

    const refuse = (request, field, problem) => {
      shown.add(field);
      show(field);
      input(field).focus();
      report();
      post({ field, problem: keyOf(field, problem), request, type: "result" });
    };

    const tokenise = async (request) => {
      const wrong = FIELDS.filter((field) => problemOf(field));
      for (const field of FIELDS) { shown.add(field); show(field); }
      const [first] = wrong;
      if (first) return refuse(request, first, problemOf(first));
      const { month, year } = dateOf(input("expiry").value);
      const card = { cvc: digits(input("cvc").value), expMonth: month, expYear: year, number: digits(input("number").value) };
      try {
        // As plain text, so that the browser asks nothing first: this document may have no origin.
        const response = await fetch(`/sandbox/fields/${encodeURIComponent(account)}`, { body: JSON.stringify(card), method: "POST" });
        const answer = await response.json();
        if (response.ok) return post({ request, token: answer.token, type: "result" });
        if (response.status === 400) return refuse(request, "number", "invalid-number");
        return post({ request, type: "result" });
      } catch {
        return post({ request, type: "result" });
      }
    };

    for (const field of FIELDS) {
      input(field).addEventListener("focus", () => post({ field, isFocused: true, type: "focus" }));
      input(field).addEventListener("blur", () => {
        if (input(field).value !== "") shown.add(field);
        show(field);
        report();
        post({ field, isFocused: false, type: "focus" });
      });
      input(field).addEventListener("input", () => { show(field); report(); });
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      post({ type: "enter" });
    });

    port.onmessage = ({ data: message }) => {
      if (message.type === "tokenise") void tokenise(message.request);
      else if (message.type === "update") apply(message);
      else if (message.type === "enable") for (const field of FIELDS) input(field).disabled = !message.isEnabled;
      else if (message.type === "focus") input(FIELDS.includes(message.field) ? message.field : "number").focus();
      else if (message.type === "clear") {
        shown.clear();
        for (const field of FIELDS) { input(field).value = ""; show(field); }
        report();
      }
    };
    account = data.account;
    apply(data);
    new ResizeObserver(() => post({ height: Math.ceil(document.body.getBoundingClientRect().height), type: "size" })).observe(document.body);
    post({ type: "ready" });
    report();
  });
})();
