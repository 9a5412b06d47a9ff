// Writes expected.json: each currency of ISO 4217 with minor units, in amounts as ICU formats them for the locale `en`.
//
//   node crates/domain/tests/formatted_amounts/make.mjs
//
// Codes and decimals are written down here, apart from the crate that the service takes them from, so that each checks
// the other. Source: ISO 4217 list one. Layout and symbols: CLDR, as Node's ICU carries it (its version is recorded).
import { writeFileSync } from "node:fs";

const codes = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
  CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD
  HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
  MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
  RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
  USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`.trim().split(/\s+/);

const decimals = {};
for (const code of "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" ")) decimals[code] = 0;
for (const code of "BHD IQD JOD KWD LYD OMR TND".split(" ")) decimals[code] = 3;
for (const code of "CLF UYW".split(" ")) decimals[code] = 4;

// As texts: JSON's numbers and JavaScript's lose digits of 64-bit integers.
const amounts = ["0", "1", "-1", "999", "1000", "123456", "123456789", "-9876543210", "9223372036854775807", "-9223372036854775808"];

// Intl formats decimal texts exactly.
function decimalText(minor, exponent) {
  const sign = minor.startsWith("-") ? "-" : "";
  const digits = minor.replace("-", "").padStart(exponent + 1, "0");
  const whole = digits.slice(0, digits.length - exponent);
  return exponent === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-exponent)}`;
}

const lines = codes.map((code) => {
  const exponent = decimals[code] ?? 2;
  const format = new Intl.NumberFormat("en", {
    style: "currency", currency: code, minimumFractionDigits: exponent, maximumFractionDigits: exponent,
  });
  const samples = amounts.map((minor) => [minor, format.format(decimalText(minor, exponent))]);
  return JSON.stringify({ code, exponent, samples });
});
const head = JSON.stringify({ node: process.version, icu: process.versions.icu, cldr: process.versions.cldr });
const file = new URL("expected.json", import.meta.url);
writeFileSync(file, `{"made_with":${head},"currencies":[\n${lines.join(",\n")}\n]}\n`);
