/** The sandbox's stand-in, whose script is `/sandbox/fields.js`. */
import type { FieldsChange, FieldsLook, FieldsResult, FieldsSetup } from "../shared/fieldsprotocol.js";
import type { CardFieldName } from "../shared/protocol.js";
import type { FieldsAdapter } from "./adapter.js";

interface Look {
  readonly language: string;
  readonly style: FieldsLook;
  readonly texts: Readonly<Record<string, string>>;
  readonly title: string;
}

interface Mounted {
  clear(): void;
  enable(isEnabled: boolean): void;
  focus(field?: string): void;
  tokenise(): Promise<{ readonly token?: string; readonly problem?: string }>;
  update(look: Look): void;
}

interface Setup extends Look {
  readonly account: unknown;
  readonly onChange: (change: FieldsChange) => void;
  readonly onEnter: () => void;
  readonly onFocus: (field: CardFieldName, isFocused: boolean) => void;
  readonly onReady: () => void;
}

declare global {
  interface Window {
    readonly PointsmanStandInFields?: { mount(element: HTMLElement, setup: Setup): Mounted };
  }
}

const lookOf = ({ language, look, texts, title }: FieldsSetup): Look => ({ language, style: look, texts, title });

export const standIn: FieldsAdapter = {
  async mount(place, parameters, setup, events) {
    const script = window.PointsmanStandInFields;
    if (!script) throw new Error("the stand-in's script is not there");
    const { account } = parameters as { readonly account?: unknown };
    const { onReady, ready } = promised();
    const mounted = script.mount(place, {
      ...lookOf(setup), account, onReady,
      onChange: (change) => events.changed({ errors: change.errors, isComplete: change.isComplete, isEmpty: change.isEmpty }),
      onEnter: () => events.entered(),
      onFocus: (field, isFocused) => events.focused(field, isFocused),
    });
    await ready;
    return {
      clear: () => mounted.clear(),
      enable: (isEnabled) => mounted.enable(isEnabled),
      focus: (field) => mounted.focus(field),
      tokenise: async () => resultOf(await mounted.tokenise()),
      update: (changed) => mounted.update(lookOf(changed)),
    };
  },
};

function resultOf({ problem, token }: Awaited<ReturnType<Mounted["tokenise"]>>): FieldsResult {
  if (token) return { token };
  return problem ? { isWrong: true } : {};
}

function promised(): { readonly ready: Promise<void>; readonly onReady: () => void } {
  let onReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => { onReady = resolve; });
  return { onReady: () => onReady(), ready };
}
