//! The languages of pages, and the choice between them by what a browser asks for.

/// A language that every page for shoppers is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English, also for those who ask for a language that is not here.
    #[default]
    English,
    /// French.
    French,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// Dutch.
    Dutch,
    /// Portuguese.
    Portuguese,
}

/// The weight of a language that is asked for without one. Unit: thousandths.
const FULL: u16 = 1000;

impl Language {
    /// All of them, in the order of a row of the table of texts.
    pub const ALL: [Self; 6] = [
        Self::English,
        Self::French,
        Self::German,
        Self::Spanish,
        Self::Dutch,
        Self::Portuguese,
    ];

    /// Its code, as the attribute `lang` and the header `Content-Language` have it. Source: BCP 47.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
            Self::German => "de",
            Self::Spanish => "es",
            Self::Dutch => "nl",
            Self::Portuguese => "pt",
        }
    }

    /// The language to answer in, by the header `Accept-Language`: the one with the greatest weight that is here, of
    /// several the first. Regions don't count, `*` asks for nothing. English when nothing fits.
    ///
    /// Source: RFC 9110, section 12.5.4.
    pub fn accepted(header: &str) -> Self {
        let mut best = None;
        for range in header.split(',') {
            let mut parts = range.split(';');
            let Some(language) = parts.next().and_then(Self::of_tag) else {
                continue;
            };
            let weight = parts.find_map(weight).unwrap_or(FULL);
            if weight > best.map_or(0, |(_, weight)| weight) {
                best = Some((language, weight));
            }
        }
        best.map_or_else(Self::default, |(language, _)| language)
    }

    fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split('-').next()?;
        Self::ALL
            .into_iter()
            .find(|language| language.code().eq_ignore_ascii_case(primary))
    }
}

/// The weight in `q=0.8`, in thousandths; `None` when the parameter is another, or is none.
fn weight(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value = value.trim();
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    if decimals.len() > 3 {
        return Some(0);
    }
    let digits = format!("{whole}{decimals:0<3}");
    let thousandths = digits.parse().ok().filter(|weight| *weight <= FULL);
    // What is no weight asks for nothing.
    Some(thousandths.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_weight_that_is_here_counts() {
        for (header, code) in [
            ("", "en"),
            ("fr", "fr"),
            ("DE-AT, en;q=0.5", "de"),
            ("en;q=0.5, pt-BR;q=0.8", "pt"),
            ("sv, da;q=0.9, nl;q=0.1", "nl"),
            ("es;q=0.7, fr;q=0.7", "es"),
            ("fr;q=0, de;q=0.001", "de"),
            ("fr;q=0", "en"),
            ("*", "en"),
            ("fr;q=2, es;q=0.1", "es"),
            ("fr;q=x, es ; Q = 0.1 ", "es"),
            ("fr;q=0.1234, es;q=0.1", "es"),
            ("zh-Hant-TW", "en"),
            (",;,=;q", "en"),
        ] {
            assert_eq!(Language::accepted(header).code(), code, "{header}");
        }
    }
}
