/** The frame's end of the conversation with the loader: one message to shake hands, then a private port. */
import { PROTOCOL, type Hello, type ToFrame, type ToLoader } from "../shared/protocol.js";

const TYPES: ReadonlySet<string> = new Set<ToFrame["type"]>([
  "init", "update", "focus", "submit", "reset", "clearCode", "enable", "disable", "walletToken", "walletSession", "actionSignal", "destroy",
]);

export interface Channel {
  post(message: ToLoader): void;
  close(): void;
}

/**
 * Says hello to the page around us at the one origin that this document was served for, and waits for its port.
 * Messages of a type that we don't know are dropped: the loader may be newer.
 */
export function openChannel(origin: string, receive: (message: ToFrame) => void): Promise<Channel> {
  const id = location.hash.slice(1);
  return new Promise((resolve) => {
    const welcome = ({ data, origin: sender, ports, source }: MessageEvent) => {
      const [port] = ports;
      if (source !== window.parent || sender !== origin || !isWelcome(data, id) || !port) return;
      window.removeEventListener("message", welcome);
      port.onmessage = ({ data: message }) => {
        if (isMessage(message)) receive(message);
      };
      resolve({ close: () => port.close(), post: (message) => port.postMessage(message) });
    };
    window.addEventListener("message", welcome);
    const hello: Hello = { pointsman: PROTOCOL, hello: id };
    window.parent.postMessage(hello, origin);
  });
}

function isWelcome(data: unknown, id: string): boolean {
  const message = data as { readonly pointsman?: unknown; readonly welcome?: unknown } | null;
  return typeof message === "object" && message?.pointsman === PROTOCOL && message.welcome === id && id !== "";
}

function isMessage(data: unknown): data is ToFrame {
  const type = (data as { readonly type?: unknown } | null)?.type;
  return typeof type === "string" && TYPES.has(type);
}

/** Tells the loader the height of our content, now and whenever it changes. */
export function reportHeight(channel: Channel): void {
  const root = document.documentElement;
  let reported = -1;
  const tell = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height !== reported) channel.post({ type: "size", height });
    reported = height;
  };
  new ResizeObserver(tell).observe(root);
  tell();
}
