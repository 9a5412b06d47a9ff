/** Scripts of wallets. Pages that enforce Trusted Types allow them by naming the policy `pointsman`. */

/** The script of wallet A's network. */
export const PAY_JS = "https://pay.google.com/gp/p/js/pay.js";

interface ScriptPolicy {
  createScriptURL(address: string): string;
}

/** The element of a script; one of the service's leaves on it what it exports. */
export type LoadedScript = HTMLScriptElement & { exported?: unknown };

const loaded = new Map<string, Promise<LoadedScript>>();
let policy: ScriptPolicy | undefined;

/** The policy lets through what a checkout can ask for: the network's script, and the service's two for wallets. */
function allow(address: string): string {
  const factory = (window as { trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } }).trustedTypes;
  policy ??= factory?.createPolicy("pointsman", {
    createScriptURL: (wanted) => {
      if (wanted === PAY_JS || /\/sdk\/v1\/f\/wallet(s|-stand-in)\.\w+\.js$/.test(wanted)) return wanted;
      throw new TypeError(wanted);
    },
  });
  return policy ? policy.createScriptURL(address) : address;
}

/**
 * Loads a script once and answers its element, on which the service's own leave what they export. After a failure the
 * next call tries again.
 */
export function loadScript(address: string, integrity = ""): Promise<LoadedScript> {
  const known = loaded.get(address);
  if (known) return known;
  const loading = new Promise<LoadedScript>((resolve, reject) => {
    const script: LoadedScript = document.createElement("script");
    try {
      script.src = allow(address);
    } catch {
      throw new Error("the page allows no Trusted Types policy for wallets: add pointsman to trusted-types");
    }
    if (integrity) Object.assign(script, { integrity, crossOrigin: "anonymous" });
    script.onload = () => resolve(script);
    script.onerror = () => reject(new Error(`${address} can't be loaded: does the page's script-src allow it?`));
    document.head.append(script);
  });
  loaded.set(address, loading);
  loading.catch(() => loaded.delete(address));
  return loading;
}
