/** Elements and Drop-In as React components. */
import { loadPointsman, type CheckoutSdkDropInOptions, type CheckoutSdkElementOptions, type CheckoutState, type DropInInstance, type ElementsInstance, type LoaderSource, type PointsmanGlobal } from "@pointsman/loader";
import { useEffect, useReducer, useRef, type RefObject } from "react";

export type {
  AlternativePaymentMethod, AuthorizePaymentResult, ChangeEventDetails, CheckoutSdkDropInOptions, CheckoutSdkElementOptions, CheckoutState, Country,
  DropInInstance, ElementsInstance, ErrorEventDetails, Language, LoaderSource, PaymentRequestResult, Theme, Translation,
} from "@pointsman/loader";

type CallbackName = "onError" | "onLoaded" | "onChange" | "onCancel" | "onPaymentComplete" | "onPaymentRequest" | "onStateChange";
type Callbacks<Options> = Pick<Options, Extract<keyof Options, CallbackName>>;
type Plain<Options> = Omit<Options, CallbackName> & LoaderSource;

export interface CheckoutDropInProps extends Callbacks<CheckoutSdkDropInOptions> {
  options: Plain<CheckoutSdkDropInOptions>;
  /** Holds the instance while it is there. */
  instanceRef?: RefObject<DropInInstance | null>;
}

export interface CheckoutElementsProps extends Callbacks<CheckoutSdkElementOptions> {
  options: Plain<CheckoutSdkElementOptions>;
  /** Holds the instance while it is there. */
  instanceRef?: RefObject<ElementsInstance | null>;
}

/** What both components need of either interface. */
interface Instance {
  readonly state: CheckoutState;
  update(options: object): boolean;
  destroy(): void;
}

type Load<Made extends Instance> = (pointsman: PointsmanGlobal, element: HTMLElement, options: never) => Promise<Made>;

interface Mounting<Made extends Instance> {
  options: LoaderSource & { apiKey: string };
  callbacks: Record<string, unknown>;
  instanceRef: RefObject<Made | null> | undefined;
}

/**
 * Another key is another checkout, unless a payment is under way or paid when it comes: a form in its place could be paid again. Such a
 * key counts once the checkout with the earlier one has ended.
 */
function useKey<Made extends Instance>(apiKey: string, made: RefObject<Made | undefined>): string {
  const shown = useRef(apiKey);
  const seen = useRef(apiKey);
  const state = made.current?.state ?? "open";
  if (state === "ended" || (state === "open" && apiKey !== seen.current)) shown.current = apiKey;
  seen.current = apiKey;
  return shown.current;
}

/** Mounts once for each service and key; other changed options are an update. Callbacks may change on every render. */
function useCheckout<Made extends Instance>(load: Load<Made>, { options, callbacks, instanceRef }: Mounting<Made>): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const made = useRef<Made | undefined>(undefined);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const { serviceUrl, pinned, ...given } = options;
  const apiKey = useKey(given.apiKey, made);
  const plain = { ...given, apiKey };
  // Options are data: the same text is the same options, whatever object they are in.
  const text = JSON.stringify(plain);
  const latest = useRef({ callbacks, text });
  const shown = useRef("");

  const update = () => {
    if (!made.current || shown.current === latest.current.text) return;
    shown.current = latest.current.text;
    made.current.update(JSON.parse(shown.current) as object);
  };

  useEffect(() => {
    latest.current = { callbacks, text };
  });

  useEffect(() => {
    let isOver = false;
    const forward = (name: string) => (...values: unknown[]) => {
      if (isOver) return undefined;
      // A key that has waited is looked at again.
      if (name === "onStateChange") render();
      return (latest.current.callbacks[name] as ((...values: unknown[]) => unknown) | undefined)?.(...values);
    };
    const forwarded = Object.fromEntries(Object.keys(callbacks).map((name) => [name, forward(name)]));
    const source = { ...(serviceUrl && { serviceUrl }), ...(pinned && { pinned }) };
    const mount = async () => {
      const pointsman = await loadPointsman(source);
      if (isOver || !element.current) return;
      shown.current = latest.current.text;
      const instance = await load(pointsman, element.current, { ...(JSON.parse(shown.current) as object), ...forwarded } as never);
      if (isOver) return instance.destroy();
      made.current = instance;
      if (instanceRef) instanceRef.current = instance;
      // Options may have changed while it loaded.
      update();
    };
    mount().catch((failure: Error & { type?: string }) => {
      // What the loaded script finds wrong it has reported by itself.
      if (!failure.type) forward("onError")({ error: { message: failure.message, type: "script" } });
    });
    return () => {
      isOver = true;
      made.current?.destroy();
      made.current = undefined;
      if (instanceRef) instanceRef.current = null;
    };
  }, [serviceUrl, pinned?.file, apiKey]);

  useEffect(update);
  return element;
}

const loadDropIn: Load<DropInInstance> = (pointsman, element, options) => pointsman.loadCheckoutSdkDropIn(element, options);
const loadElements: Load<ElementsInstance> = (pointsman, element, options) => pointsman.loadCheckoutSdkElement(element, options);

/** The whole checkout. */
export function CheckoutDropIn({ options, instanceRef, onError, onLoaded, onChange, onCancel, onStateChange, onPaymentComplete }: CheckoutDropInProps) {
  const callbacks = { onError, onLoaded, onChange, onCancel, onStateChange, onPaymentComplete };
  return <div ref={useCheckout(loadDropIn, { options, callbacks, instanceRef })} />;
}

/** The card fields. Put it inside your form. */
export function CheckoutElements({ options, instanceRef, onError, onLoaded, onChange, onCancel, onStateChange, onPaymentRequest }: CheckoutElementsProps) {
  const callbacks = { onError, onLoaded, onChange, onCancel, onStateChange, onPaymentRequest };
  return <div ref={useCheckout(loadElements, { options, callbacks, instanceRef })} />;
}
