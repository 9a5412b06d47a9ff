/** The private channel to the frame: one message each way to shake hands, then a MessagePort. */
import { PROTOCOL, type ToFrame, type ToLoader } from "../shared/protocol.js";
import { readMessage } from "./messages.js";

export interface Channel {
  send(message: ToFrame): void;
  close(): void;
}

/** Where the frame's messages go. A frame that was loaded again shakes hands again, so `onConnected` may come more than once. */
export interface ChannelEvents {
  onConnected(): void;
  onMessage(message: ToLoader): void;
}

/**
 * Waits for the frame's hello and answers with a port. The hello has to come from this frame, of the service's origin,
 * with the id that stood in the frame's fragment.
 */
export function openChannel(frame: HTMLIFrameElement, service: string, id: string, events: ChannelEvents): Channel {
  let port: MessagePort | undefined;
  const greet = ({ source, origin, data }: MessageEvent) => {
    if (source !== frame.contentWindow || origin !== service || data?.pointsman !== PROTOCOL || data.hello !== id) return;
    port?.close();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = (event) => {
      const message = readMessage(event.data);
      if (message) events.onMessage(message);
    };
    frame.contentWindow?.postMessage({ pointsman: PROTOCOL, welcome: id }, service, [port2]);
    events.onConnected();
  };
  addEventListener("message", greet);
  return {
    send: (message) => port?.postMessage(message),
    close: () => {
      removeEventListener("message", greet);
      port?.postMessage({ type: "destroy" });
      port?.close();
    },
  };
}

/** 128 random bits. `crypto.randomUUID` is missing on pages without TLS. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
