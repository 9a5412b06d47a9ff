//! Countries of ISO 3166-1.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Alpha-2 and alpha-3 code of each of the 249 countries, in the order of the first.
///
/// Source: ISO 3166-1 (Debian's `iso-codes`, as the Python package `pycountry` carries it, version 26.2.16).
const CODES: &str = "\
    AD:AND AE:ARE AF:AFG AG:ATG AI:AIA AL:ALB AM:ARM AO:AGO AQ:ATA AR:ARG AS:ASM AT:AUT AU:AUS AW:ABW AX:ALA \
    AZ:AZE BA:BIH BB:BRB BD:BGD BE:BEL BF:BFA BG:BGR BH:BHR BI:BDI BJ:BEN BL:BLM BM:BMU BN:BRN BO:BOL BQ:BES \
    BR:BRA BS:BHS BT:BTN BV:BVT BW:BWA BY:BLR BZ:BLZ CA:CAN CC:CCK CD:COD CF:CAF CG:COG CH:CHE CI:CIV CK:COK \
    CL:CHL CM:CMR CN:CHN CO:COL CR:CRI CU:CUB CV:CPV CW:CUW CX:CXR CY:CYP CZ:CZE DE:DEU DJ:DJI DK:DNK DM:DMA \
    DO:DOM DZ:DZA EC:ECU EE:EST EG:EGY EH:ESH ER:ERI ES:ESP ET:ETH FI:FIN FJ:FJI FK:FLK FM:FSM FO:FRO FR:FRA \
    GA:GAB GB:GBR GD:GRD GE:GEO GF:GUF GG:GGY GH:GHA GI:GIB GL:GRL GM:GMB GN:GIN GP:GLP GQ:GNQ GR:GRC GS:SGS \
    GT:GTM GU:GUM GW:GNB GY:GUY HK:HKG HM:HMD HN:HND HR:HRV HT:HTI HU:HUN ID:IDN IE:IRL IL:ISR IM:IMN IN:IND \
    IO:IOT IQ:IRQ IR:IRN IS:ISL IT:ITA JE:JEY JM:JAM JO:JOR JP:JPN KE:KEN KG:KGZ KH:KHM KI:KIR KM:COM KN:KNA \
    KP:PRK KR:KOR KW:KWT KY:CYM KZ:KAZ LA:LAO LB:LBN LC:LCA LI:LIE LK:LKA LR:LBR LS:LSO LT:LTU LU:LUX LV:LVA \
    LY:LBY MA:MAR MC:MCO MD:MDA ME:MNE MF:MAF MG:MDG MH:MHL MK:MKD ML:MLI MM:MMR MN:MNG MO:MAC MP:MNP MQ:MTQ \
    MR:MRT MS:MSR MT:MLT MU:MUS MV:MDV MW:MWI MX:MEX MY:MYS MZ:MOZ NA:NAM NC:NCL NE:NER NF:NFK NG:NGA NI:NIC \
    NL:NLD NO:NOR NP:NPL NR:NRU NU:NIU NZ:NZL OM:OMN PA:PAN PE:PER PF:PYF PG:PNG PH:PHL PK:PAK PL:POL PM:SPM \
    PN:PCN PR:PRI PS:PSE PT:PRT PW:PLW PY:PRY QA:QAT RE:REU RO:ROU RS:SRB RU:RUS RW:RWA SA:SAU SB:SLB SC:SYC \
    SD:SDN SE:SWE SG:SGP SH:SHN SI:SVN SJ:SJM SK:SVK SL:SLE SM:SMR SN:SEN SO:SOM SR:SUR SS:SSD ST:STP SV:SLV \
    SX:SXM SY:SYR SZ:SWZ TC:TCA TD:TCD TF:ATF TG:TGO TH:THA TJ:TJK TK:TKL TL:TLS TM:TKM TN:TUN TO:TON TR:TUR \
    TT:TTO TV:TUV TW:TWN TZ:TZA UA:UKR UG:UGA UM:UMI US:USA UY:URY UZ:UZB VA:VAT VC:VCT VE:VEN VG:VGB VI:VIR \
    VN:VNM VU:VUT WF:WLF WS:WSM YE:YEM YT:MYT ZA:ZAF ZM:ZMB ZW:ZWE";

/// A country or territory of ISO 3166-1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country {
    alpha2: &'static str,
    alpha3: &'static str,
}

impl Country {
    /// Reads an alpha-2 or alpha-3 code, in capitals or small letters; `None` when no country has it.
    pub fn parse(code: &str) -> Option<Self> {
        all().find(|country| {
            code.eq_ignore_ascii_case(country.alpha2) || code.eq_ignore_ascii_case(country.alpha3)
        })
    }

    /// The code of two letters, for instance `IE`.
    pub const fn alpha2(self) -> &'static str {
        self.alpha2
    }

    /// The code of three letters, for instance `IRL`.
    pub const fn alpha3(self) -> &'static str {
        self.alpha3
    }
}

fn all() -> impl Iterator<Item = Country> {
    CODES
        .split_ascii_whitespace()
        .filter_map(|pair| pair.split_once(':'))
        .map(|(alpha2, alpha3)| Country { alpha2, alpha3 })
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.alpha2)
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.alpha2)
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.alpha2)
    }
}

impl<'de> Deserialize<'de> for Country {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&code).ok_or_else(|| D::Error::custom("not a country of ISO 3166-1"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_is_complete_and_each_code_leads_back() {
        let countries: Vec<Country> = all().collect();
        assert_eq!(countries.len(), 249);
        assert_eq!(
            countries
                .iter()
                .map(|c| c.alpha2)
                .collect::<BTreeSet<_>>()
                .len(),
            249
        );
        assert_eq!(
            countries
                .iter()
                .map(|c| c.alpha3)
                .collect::<BTreeSet<_>>()
                .len(),
            249
        );
        for country in countries {
            assert_eq!(
                (country.alpha2.len(), country.alpha3.len()),
                (2, 3),
                "{country}"
            );
            assert_eq!(Country::parse(country.alpha2), Some(country));
            assert_eq!(
                Country::parse(&country.alpha3.to_lowercase()),
                Some(country)
            );
        }
    }

    #[test]
    fn codes_of_either_length_and_case_are_read() {
        let ireland = Country::parse("IE").unwrap();
        assert_eq!((ireland.alpha2(), ireland.alpha3()), ("IE", "IRL"));
        for code in ["ie", "IRL", "irl", "Irl"] {
            assert_eq!(Country::parse(code), Some(ireland), "{code}");
        }
        for code in [
            "", "I", "ZZ", "EU", "UK", "XKX", "IRLA", "372", "IE:IRL", " IE",
        ] {
            assert_eq!(Country::parse(code), None, "{code}");
        }
    }

    #[test]
    fn countries_are_stored_by_their_two_letters() {
        let json = serde_json::to_string(&Country::parse("FRA").unwrap()).unwrap();
        assert_eq!(json, "\"FR\"");
        assert_eq!(
            serde_json::from_str::<Country>(&json).unwrap().alpha3(),
            "FRA"
        );
        assert!(serde_json::from_str::<Country>("\"ZZ\"").is_err());
    }
}
