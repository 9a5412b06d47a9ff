// The sandbox's stand-in for the script of a processor that takes cards by fields of its own alone. It does what such scripts do:
// it draws a frame of the processor's, which alone sees the card, and gives a token.
(() => {
  "use strict";
  const origin = new URL(document.currentScript.src).origin;

  // mount(element, setup) draws the fields. `setup`: {account, style, texts, language, title, onChange, onFocus, onEnter, onReady}.
  const mount = (element, setup) => {
    const frame = document.createElement("iframe");
    frame.title = setup.title;
    frame.src = `${origin}/sandbox/fields-frame`;
    element.append(frame);
    const { port1: port, port2 } = new MessageChannel();
    const waiting = new Map();
    let last = 0;
    frame.addEventListener("load", () => {
      const { account, style, texts, language } = setup;
      // The frame has no origin of its own where the document around it has none.
      frame.contentWindow.postMessage({ account, language, style, texts }, "*", [port2]);
    }, { once: true });
    port.onmessage = ({ data }) => {
      if (data.type === "size") frame.style.setProperty("height", `${data.height}px`);
      else if (data.type === "ready") setup.onReady();
      else if (data.type === "change") setup.onChange(data);
      else if (data.type === "focus") setup.onFocus(data.field, data.isFocused);
      else if (data.type === "enter") setup.onEnter();
      else if (data.type === "result") {
        waiting.get(data.request)?.(data);
        waiting.delete(data.request);
      }
    };
    const tokenise = () => new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      port.postMessage({ request: last, type: "tokenise" });
    });
    return {
      clear: () => port.postMessage({ type: "clear" }),
      destroy: () => { port.close(); frame.remove(); },
      enable: (isEnabled) => port.postMessage({ isEnabled, type: "enable" }),
      focus: (field) => port.postMessage({ field, type: "focus" }),
      tokenise,
      update: ({ language, style, texts, title }) => {
        frame.title = title;
        port.postMessage({ language, style, texts, type: "update" });
      },
    };
  };

  window.PointsmanStandInFields = Object.freeze({ mount });
})();
