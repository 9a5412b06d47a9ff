/** Every decline code in every language: what the customer reads, and that the form is ready for another try. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { VISA } from "../support/cards.mjs";
import { assertAccessible } from "../support/checks.mjs";
import { textsOf } from "../support/messages.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** The simulator declines with a few codes, processors with all of them: this is the service's answer with another one. */
async function declineWith(visit, next) {
  await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
    if (!(route.request().postData() ?? "").includes("authorizePayment(")) return await route.fallback();
    const code = next();
    const authorizePayment = {
      amount: { currency: "EUR", rawAmount: 5099 }, id: `payments:${crypto.randomUUID()}`,
      paymentCore: { outcome: { declineCode: code, declineType: "HARD" }, paymentMethod: "CARD" }, status: "DECLINED",
    };
    return await route.fulfill({ body: JSON.stringify({ data: { authorizePayment } }), contentType: "application/json", status: 200 });
  });
}

/** Every code that the service knows. */
function declineCodes() {
  const source = readFileSync(new URL("../../../crates/domain/src/decline.rs", import.meta.url), "utf8");
  return [...source.matchAll(/^ {8}\w+ = "([A-Z_]+)",$/gm)].map(([, code]) => code).filter((code) => code !== "SOFT" && code !== "HARD");
}

describe("declines", { concurrency: 2 }, () => {
  for (const language of ["en", "fr", "de", "es", "nl", "pt"]) {
    test(`in ${language} every code has the words of its own`, async (t) => {
      const [codes, texts, visit] = [declineCodes(), await textsOf(language), await world.visit(t)];
      assert.ok(codes.length >= 30, codes.join(" "));
      let code;
      await declineWith(visit, () => code);
      await visit.open({ more: { language } });
      await visit.fill(VISA);
      const panel = visit.part("Error");
      for (code of codes) {
        const words = texts[`error.${code.toLowerCase()}`];
        assert.ok(words, `${code} has words`);
        await visit.field("cvc").fill("737");
        await visit.payButton.click();
        await panel.getByText(words, { exact: true }).waitFor();
        assert.equal(await visit.field("cvc").inputValue(), "", `${code}: the code is asked for again`);
        assert.notEqual(await visit.field("cardnumber").inputValue(), "", `${code}: the rest is kept`);
        assert.equal(await visit.payButton.isEnabled(), true, code);
      }
      await assertAccessible([visit.formFrame()], `declined in ${language}`);
      code = "A_CODE_THAT_A_LATER_SERVICE_HAS";
      await visit.field("cvc").fill("737");
      await visit.payButton.click();
      await panel.getByText(texts["error.unknown"], { exact: true }).waitFor();
    });
  }
});
