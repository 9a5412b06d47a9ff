/** The form's scheme, and its theme where the merchant gave one. */
import type { FrameOptions } from "../shared/protocol.js";

let isThemed = false;

export async function applyLook({ colorScheme, theme }: FrameOptions): Promise<void> {
  const { style } = document.documentElement;
  if (colorScheme) style.setProperty("color-scheme", colorScheme);
  else style.removeProperty("color-scheme");
  if (!isThemed && Object.keys(theme).length === 0) return;
  isThemed = true;
  try {
    (await import("./theme.js")).applyTheme(theme);
  } catch {
    console.warn("Pointsman: the theme could not be loaded");
  }
}
