/** Countries of ISO 3166-1, their names in the customer's language, and which of them have postal codes. */

/**
 * Alpha-3 codes in the order of alpha-2. Small letters behind one say the alpha-2 code where it is not the first two
 * letters: one replaces the second letter (`ANDd` is AD), two are the whole code (`MYTyt` is YT).
 * Source: the service's `crates/domain/src/country.rs`.
 */
const CODES =
  "ANDdAREeAFGATGgAIAALBARMmAGOoATAqARGASMAUTtAUSABWwALAxAZEBIHaBRBbBGDdBELBFABGRBHRBDIiBENjBLMBMUBRNnBOLBESqBRA" +
  "BHSsBTNBVTBWABLRyBLZzCANCCKCODdCAFfCOGgCHECIVCOKkCHLlCMRCHNnCOLCRICUBCPVvCUWwCXRCYPCZEDEUDJIDNKkDMADOMDZAECUESTe" +
  "EGYESHhERIESPETHFINFJIFLKkFSMmFROoFRAGABGBRGRDdGEOGUFfGGYGHAGIBGRLlGMBGINnGLPpGNQqGRCSGSgsGTMGUMGNBwGUYyHKGHMD" +
  "HNDHRVHTIHUNIDNIRLeISRlIMNINDIOTIRQqIRNISLITAJEYJAMmJORJPNKENKGZKHMKIRCOMkmKNAPRKkpKORrKWTCYMkyKAZzLAOLBNLCALIE" +
  "LKALBRrLSOLTULUXLVALBYyMARMCOMDAMNEeMAFfMDGgMHLMKDMLIMMRMNGMACoMNPpMTQqMRTMSRMLTtMUSMDVvMWIMEXxMYSMOZzNAMNCLNER" +
  "NFKNGANICNLDNORNPLNRUNIUuNZLOMNPANPERPYFfPNGgPHLPAKkPOLlSPMpmPCNnPRIPSEPRTtPLWwPRYyQATREUROUSRBrsRUSRWASAUSLBb" +
  "SYCcSDNSWEeSGPSHNSVNiSJMSVKkSLESMRSENnSOMSURrSSDSTPSLVvSXMSYRSWZzTCATCDdATFtfTGOTHATJKTKLTLSTKMmTUNnTONTURrTTO" +
  "TUVvTWNTZAUKRaUGAUMIUSAURYyUZBVATVCTVENVGBVIRVNMVUTWLFfWSMYEMMYTytZAFZMBZWE";

/** Without postal codes in use. Source: Universal Postal Union, "Universal POST*CODE DataBase", countries without a postcode. */
const WITHOUT_POSTAL_CODE =
  "ARE ATG AGO ABW BHS BLZ BEN BOL BWA BFA BDI CMR CAF TCD COM COG COD COK CIV DJI DMA GNQ ERI FJI ATF GMB GHA GRD " +
  "GIN GUY HKG JAM KIR PRK MAC MWI MLI MRT NRU NIU PAN QAT RWA KNA LCA STP SYC SLE SLB SOM SUR SYR TGO TKL TON TTO " +
  "TUV UGA VUT YEM ZWE TLS LBY";

/** Where many know their postal code and many don't: asked for, not demanded. */
const POSTAL_CODE_OPTIONAL = "IRL";

/** Postal codes of five digits or more; all others have at least three characters. */
const FIVE_DIGITS = "USA DEU FRA ESP ITA FIN SWE MEX TUR UKR HRV EST GRC MYS THA IDN MAR DZA EGY SAU";

export interface Country {
  /** ISO 3166-1 alpha-3. */
  readonly code: string;
  readonly name: string;
}

interface Codes {
  readonly alpha2: string;
  readonly alpha3: string;
}

function allCodes(): Codes[] {
  return (CODES.match(/[A-Z]{3}[a-z]{0,2}/g) ?? []).map(readCodes);
}

function readCodes(entry: string): Codes {
  const alpha3 = entry.slice(0, 3);
  const rest = entry.slice(3).toUpperCase();
  return { alpha2: rest.length === 2 ? rest : alpha3[0] + (rest || alpha3.slice(1, 2)), alpha3 };
}

/** All countries with their names, in the order of the language's alphabet. */
export function listCountries(language: string): Country[] {
  const names = new Intl.DisplayNames([language, "en"], { type: "region" });
  const countries = allCodes().map(({ alpha2, alpha3 }) => ({ code: alpha3, name: names.of(alpha2) ?? alpha3 }));
  const { compare } = new Intl.Collator(language);
  return countries.sort((left, right) => compare(left.name, right.name));
}

/** The alpha-3 code of the region in a language tag such as `en-IE`; `undefined` where it names none. */
export function countryOfTag(tag: string): string | undefined {
  const region = /-([A-Z]{2})(?:-|$)/.exec(tag)?.[1];
  return allCodes().find(({ alpha2 }) => alpha2 === region)?.alpha3;
}

export interface PostalCodeRule {
  /** `none`: the country has no postal codes, so none is asked for. */
  readonly need: "none" | "optional" | "required";
  /** Fewest characters. */
  readonly least: number;
}

export function postalCodeRule(country: string): PostalCodeRule {
  if (WITHOUT_POSTAL_CODE.includes(country) && country !== "") return { need: "none", least: 0 };
  return { need: country === POSTAL_CODE_OPTIONAL ? "optional" : "required", least: FIVE_DIGITS.includes(country) && country !== "" ? 5 : 3 };
}
