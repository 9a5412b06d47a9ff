/** Elements and Drop-In as React components. */
import { loadPointsman, type CheckoutSdkDropInOptions, type CheckoutSdkElementOptions, type DropInInstance, type ElementsInstance, type LoaderSource, type PointsmanGlobal } from "@pointsman/loader";
import { useEffect, useRef, type RefObject } from "react";

export type {
  AlternativePaymentMethod, AuthorizePaymentResult, ChangeEventDetails, CheckoutSdkDropInOptions, CheckoutSdkElementOptions, Country, DropInInstance,
  ElementsInstance, ErrorEventDetails, Language, LoaderSource, PaymentRequestResult, Theme, Translation,
} from "@pointsman/loader";

type CallbackName = "onError" | "onLoaded" | "onChange" | "onCancel" | "onPaymentComplete" | "onPaymentRequest";
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
  update(options: object): boolean;
  destroy(): void;
}

type Load<Made extends Instance> = (pointsman: PointsmanGlobal, element: HTMLElement, options: never) => Promise<Made>;

interface Mounting<Made extends Instance> {
  options: LoaderSource & { apiKey: string };
  callbacks: Record<string, unknown>;
  instanceRef: RefObject<Made | null> | undefined;
}

/** Mounts once for each service and key; other changed options are an update. Callbacks may change on every render. */
function useCheckout<Made extends Instance>(load: Load<Made>, { options, callbacks, instanceRef }: Mounting<Made>): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const made = useRef<Made>(undefined);
  const latest = useRef(callbacks);
  const { serviceUrl, pinned, ...plain } = options;
  // Options are data: the same text is the same options, whatever object they are in.
  const text = JSON.stringify(plain);
  const shown = useRef("");

  useEffect(() => {
    let isOver = false;
    const forward = (name: string) => (...values: unknown[]) => (isOver ? undefined : (latest.current[name] as ((...values: unknown[]) => unknown) | undefined)?.(...values));
    const forwarded = Object.fromEntries(Object.keys(latest.current).map((name) => [name, forward(name)]));
    const source = { ...(serviceUrl && { serviceUrl }), ...(pinned && { pinned }) };
    const mount = async () => {
      const pointsman = await loadPointsman(source);
      if (isOver || !element.current) return;
      shown.current = text;
      const instance = await load(pointsman, element.current, { ...plain, ...forwarded } as never);
      if (isOver) return instance.destroy();
      made.current = instance;
      if (instanceRef) instanceRef.current = instance;
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
  }, [serviceUrl, pinned?.file, options.apiKey]);

  useEffect(() => {
    latest.current = callbacks;
    if (!made.current || shown.current === text) return;
    shown.current = text;
    made.current.update(JSON.parse(text) as object);
  });
  return element;
}

const loadDropIn: Load<DropInInstance> = (pointsman, element, options) => pointsman.loadCheckoutSdkDropIn(element, options);
const loadElements: Load<ElementsInstance> = (pointsman, element, options) => pointsman.loadCheckoutSdkElement(element, options);

/** The whole checkout. */
export function CheckoutDropIn({ options, instanceRef, onError, onLoaded, onChange, onCancel, onPaymentComplete }: CheckoutDropInProps) {
  const callbacks = { onError, onLoaded, onChange, onCancel, onPaymentComplete };
  return <div ref={useCheckout(loadDropIn, { options, callbacks, instanceRef })} />;
}

/** The card fields. Put it inside your form. */
export function CheckoutElements({ options, instanceRef, onError, onLoaded, onChange, onCancel, onPaymentRequest }: CheckoutElementsProps) {
  const callbacks = { onError, onLoaded, onChange, onCancel, onPaymentRequest };
  return <div ref={useCheckout(loadElements, { options, callbacks, instanceRef })} />;
}
