/** What a processor's fields must be able to do for us. One module for each processor: no two scripts are alike. */
import type { FieldsChange, FieldsDetails, FieldsResult, FieldsSetup } from "../shared/fieldsprotocol.js";
import type { CardFieldName } from "../shared/protocol.js";

/** What the fields tell. */
export interface FieldsEvents {
  changed(change: FieldsChange): void;
  focused(field: CardFieldName, isFocused: boolean): void;
  /** Enter was pressed in a field. */
  entered(): void;
}

/** Fields that are shown. */
export interface ShownFields {
  /** Gives a token for what was typed. Fields that are not filled in right show it themselves. */
  tokenise(details: FieldsDetails): Promise<FieldsResult>;
  /** Another look or language. */
  update(setup: FieldsSetup): void;
  focus(field: CardFieldName | undefined): void;
  enable(isEnabled: boolean): void;
  /** Empties the fields. */
  clear(): void;
}

export interface FieldsAdapter {
  /** Draws the fields in an element, and resolves once they can be typed in. Rejects where the processor's script is not there. */
  mount(place: HTMLElement, parameters: unknown, setup: FieldsSetup, events: FieldsEvents): Promise<ShownFields>;
}
