/**
 * Messages between the form's frame and the document of a processor's own card fields. That document says hello to the frame
 * around it, with a port; all that follows goes over that port. No message has a member for a card.
 */
import type { CardFieldName } from "./protocol.js";
import { PROTOCOL } from "./protocol.js";

/** Document to frame, by `window.postMessage` with one MessagePort. `fields` is what stands in its fragment. */
export interface FieldsHello {
  readonly pointsman: typeof PROTOCOL;
  readonly fields: string;
}

/** How the fields are to look: resolved values, so that a processor's own whitelist can take them. */
export interface FieldsLook {
  readonly ground: string;
  readonly control: string;
  readonly ink: string;
  readonly quiet: string;
  readonly focus: string;
  readonly ring: string;
  readonly error: string;
  readonly radius: string;
  readonly border: "round" | "square" | "bottom";
  readonly font: string;
  readonly size: string;
  readonly "label-size": string;
  readonly line: string;
  readonly layout: "stacked" | "compact" | "single";
  readonly scheme: string;
  readonly direction: "ltr" | "rtl";
}

/** What may change while the fields are shown. */
export interface FieldsSetup {
  readonly look: FieldsLook;
  readonly language: string;
  readonly title: string;
  /** Labels, placeholders and errors of the three fields, by the keys of the SDK's messages. */
  readonly texts: Readonly<Record<string, string>>;
}

/** What is known beside the card when a token is asked for: some processors authenticate the customer with it. */
export interface FieldsDetails {
  /** Minor units. */
  readonly amount?: number;
  readonly currencyCode?: string;
  readonly name?: string;
  readonly billingAddress?: { readonly country: string; readonly postalCode?: string };
}

export type ToFields =
  | { readonly type: "mount"; readonly parameters: unknown; readonly setup: FieldsSetup }
  | { readonly type: "update"; readonly setup: FieldsSetup }
  | { readonly type: "tokenise"; readonly request: number; readonly details: FieldsDetails }
  | { readonly type: "focus"; readonly field?: CardFieldName }
  | { readonly type: "enable"; readonly isEnabled: boolean }
  | { readonly type: "clear" };

/** Whether the fields are filled in right. `errors` are keys of messages. */
export interface FieldsChange {
  readonly isComplete: boolean;
  readonly isEmpty: boolean;
  readonly errors: Readonly<Partial<Record<CardFieldName, string>>>;
}

/** A token; `isWrong` where a field is not filled in right, which the fields show themselves; neither where no answer came. */
export interface FieldsResult {
  readonly token?: string;
  readonly isWrong?: boolean;
}

export type FromFields =
  | { readonly type: "mounted" }
  /** The processor's script could not be loaded or used. */
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "size"; readonly height: number }
  | ({ readonly type: "change" } & FieldsChange)
  | { readonly type: "focus"; readonly field: CardFieldName; readonly isFocused: boolean }
  | { readonly type: "enter" }
  | ({ readonly type: "result"; readonly request: number } & FieldsResult);
