/**
 * The document of a processor's own card fields, inside the form's frame: shows the fields by the processor's script, which has run
 * before this one, and hands the frame a token.
 */
import { PROTOCOL } from "../shared/protocol.js";
import type { FieldsHello, FieldsSetup, FromFields, ToFields } from "../shared/fieldsprotocol.js";
import type { FieldsAdapter, ShownFields } from "./adapter.js";
import { standIn } from "./standin.js";

const ADAPTERS: Readonly<Record<string, FieldsAdapter>> = { simulator: standIn };

/** For how long a processor's script may take to draw its fields. Milliseconds. */
const PATIENCE_MS = 15_000;

function main(): void {
  const place = document.getElementById("pm-place");
  const processor = document.body.dataset["processor"] ?? "";
  const { port1: port, port2 } = new MessageChannel();
  const post = (message: FromFields) => port.postMessage(message);
  let fields: ShownFields | undefined;

  const mount = async ({ parameters, setup }: Extract<ToFields, { readonly type: "mount" }>) => {
    const adapter = Object.hasOwn(ADAPTERS, processor) ? ADAPTERS[processor] : undefined;
    if (!adapter || !place) return post({ message: `there is no adapter for ${processor}`, type: "failed" });
    follow(setup);
    try {
      fields = await inTime(adapter.mount(place, parameters, setup, {
        changed: (change) => post({ type: "change", ...change }),
        entered: () => post({ type: "enter" }),
        focused: (field, isFocused) => post({ field, isFocused, type: "focus" }),
      }));
      new ResizeObserver(() => post({ height: Math.ceil(place.getBoundingClientRect().height), type: "size" })).observe(place);
      return post({ type: "mounted" });
    } catch (error) {
      return post({ message: error instanceof Error ? error.message : "unknown", type: "failed" });
    }
  };

  const tokenise = async (request: number, details: Extract<ToFields, { readonly type: "tokenise" }>["details"]) => {
    try {
      post({ ...(await fields?.tokenise(details)), request, type: "result" });
    } catch {
      post({ request, type: "result" });
    }
  };

  port.onmessage = ({ data }: MessageEvent<ToFields>) => {
    switch (data.type) {
      case "mount": return void mount(data);
      case "tokenise": return void tokenise(data.request, data.details);
      case "update":
        follow(data.setup);
        return fields?.update(data.setup);
      case "focus": return fields?.focus(data.field);
      case "enable": return fields?.enable(data.isEnabled);
      case "clear": return fields?.clear();
    }
  };
  const hello: FieldsHello = { fields: location.hash.slice(1), pointsman: PROTOCOL };
  // The frame around us is of the service's origin, whatever ours is.
  window.parent.postMessage(hello, new URL(location.href).origin, [port2]);
}

/** A frame of another scheme than the page around it is not transparent. */
function follow({ language, look, title }: FieldsSetup): void {
  document.documentElement.lang = language;
  document.documentElement.style.setProperty("color-scheme", look.scheme);
  document.title = title;
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new Error("the processor's fields did not appear")), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

main();
