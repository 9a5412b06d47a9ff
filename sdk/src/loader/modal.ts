/**
 * The dialog for an errand that may be framed, such as a bank's challenge. The frame inside has one of the sizes of EMVCo:
 * 500 × 600 (03), 390 × 400 (02), or the whole window (05). `<dialog>` keeps the focus inside, and gives it back.
 */
import type { Action } from "../shared/protocol.js";
import { make, shadowOf } from "./dom.js";
import { makeFrame } from "./frame.js";
import css from "./modal.css";

/** After the load event of our document without a word of it, it is not there. */
const SILENCE_MS = 300;
/** After this time without a load event of the page inside, a window of its own is offered. */
const NOTHING_TO_SEE_MS = 8_000;

export interface ModalEvents {
  /** The customer said twice that they stop. */
  onGiveUp(): void;
  /** In the gesture of the customer, who wants a window of its own. */
  onOpenWindow(): void;
  /** The browser shows nothing in the dialog. */
  onNothing(): void;
}

export interface Modal {
  /** Our document around the page runs. */
  opened(): void;
  /** The page inside has loaded. */
  shown(): void;
  close(): void;
}

export function openModal(action: Action, isDark: boolean, events: ModalEvents): Modal {
  const { texts } = action;
  const host = make("div");
  const root = shadowOf(host, css);
  const button = (label: string, className: string, onclick: () => void) => make("button", { type: "button", className, onclick }, label);
  const goOn = button(texts.goOn, "main", () => ask(false));
  const question = make("p", { hidden: true }, make("span", {}, texts.stopQuestion), goOn, button(texts.stop, "", events.onGiveUp));
  const offer = make("p", { hidden: true }, make("span", {}, texts.nothingToSee), button(texts.openWindow, "", events.onOpenWindow));
  const close = button("×", "close", () => ask(true));
  close.ariaLabel = texts.close;
  question.role = offer.role = "status";
  const frame = makeFrame(action.url, texts.title);
  let silence: ReturnType<typeof setTimeout> | undefined;
  let isOpened = false;
  frame.onload = () => {
    if (!isOpened) silence = setTimeout(events.onNothing, SILENCE_MS);
  };
  const dialog = make(
    "dialog",
    { className: isDark ? "dark" : "", ariaLabel: texts.title },
    make("header", {}, make("h2", {}, texts.title), close),
    question,
    offer,
    frame,
  );
  const ask = (isAsking: boolean) => {
    question.hidden = !isAsking;
    (isAsking ? goOn : close).focus();
  };
  // Escape asks like the button does. A browser closes the dialog at the second Escape in a row all the same.
  dialog.oncancel = (event) => {
    event.preventDefault();
    ask(true);
  };
  dialog.onclose = () => {
    dialog.showModal();
    ask(true);
  };
  const timer = setTimeout(() => (offer.hidden = false), NOTHING_TO_SEE_MS);
  host.style.display = "contents";
  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  return {
    opened: () => {
      isOpened = true;
      clearTimeout(silence);
    },
    shown: () => {
      clearTimeout(timer);
      offer.hidden = true;
    },
    close: () => {
      clearTimeout(timer);
      clearTimeout(silence);
      dialog.onclose = null;
      dialog.close();
      host.remove();
    },
  };
}
