/**
 * What the customer does elsewhere: a modal where the page may be framed, else a popup. What is seen of it here are hints
 * for the frame, which asks the service; a popup's `closed` in particular is true for a window that a bank's page has cut off.
 */
import { PROTOCOL, type Action, type ToFrame } from "../shared/protocol.js";
import { openModal, type Modal } from "./modal.js";

type Signal = Extract<ToFrame, { type: "actionSignal" }>["signal"];

const POPUP_WIDTH = 500;
const POPUP_HEIGHT = 620;

export interface Errands {
  show(action: Action, isDark: boolean): void;
  /** The errand of this id, or any, is over. */
  done(id?: string): void;
  end(): void;
}

/** Opens a window in the middle of the browser's, or gives the window of that name its address. Null where it is refused. */
function openPopup({ id, url }: Action): Window | null {
  const left = Math.max(0, screenX + (outerWidth - POPUP_WIDTH) / 2);
  const top = Math.max(0, screenY + (outerHeight - POPUP_HEIGHT) / 2);
  return open(url, `pointsman-${id}`, `popup,width=${POPUP_WIDTH},height=${POPUP_HEIGHT},left=${left},top=${top}`);
}

export function makeErrands(service: string, onSignal: (action: string, signal: Signal) => void): Errands {
  let current: { action: Action; modal?: Modal; popup?: Window } | undefined;
  const popUp = (action: Action) => {
    const popup = openPopup(action);
    if (popup) {
      current?.modal?.close();
      current = { action, popup };
      popup.focus();
    }
    onSignal(action.id, popup ? "opened" : "popupRefused");
  };
  const end = () => {
    current?.modal?.close();
    // A window that a bank's page has cut off can't be closed from here.
    current?.popup?.close();
    current = undefined;
  };
  const hear = ({ origin, data }: MessageEvent) => {
    if (!current || origin !== service || data?.pointsman !== PROTOCOL) return;
    if (data.opened === current.action.id) current.modal?.opened();
    if (data.shown === current.action.id) current.modal?.shown();
    if (data.returned === current.action.id) onSignal(current.action.id, "returned");
  };
  const look = () => current?.popup?.closed && onSignal(current.action.id, "closed");
  addEventListener("message", hear);
  addEventListener("focus", look);
  return {
    show: (action, isDark) => {
      if (current?.action.id !== action.id) end();
      // In an isolated page a bank's page would need headers that banks don't send.
      if (!action.supportsIframe || crossOriginIsolated || current?.popup) return popUp(action);
      if (current) return;
      const modal = openModal(action, isDark, {
        onGiveUp: () => {
          end();
          onSignal(action.id, "givenUp");
        },
        onOpenWindow: () => popUp(action),
        // The customer's press of the button still counts as the gesture that a window needs. Where it does not, the page goes there.
        onNothing: () => popUp(action),
      });
      current = { action, modal };
    },
    done: (id = current?.action.id) => {
      if (id === current?.action.id) end();
    },
    end: () => {
      end();
      removeEventListener("message", hear);
      removeEventListener("focus", look);
    },
  };
}
