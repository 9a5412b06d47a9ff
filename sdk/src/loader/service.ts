/** The service that this script was loaded from: its origin answers the frame and every call. */

/** The origin in the address of the loader's own script element. */
export function serviceOrigin(scriptAddress: string | undefined): string {
  if (!scriptAddress) {
    throw new Error("Pointsman: load pointsman.js by a script element with src, not as a module or inline");
  }
  return new URL(scriptAddress).origin;
}
