//! Pages of the sandbox: what is where, and the explorer of the API. For developers, so in English.

use askama::Template;

use crate::{files, plain, rendered};

/// A test card with what happens when it is used.
struct TestCard {
    number: &'static str,
    result: &'static str,
}

/// The test cards that are needed first; `docs/sandbox.md` has all.
const CARDS: &[TestCard] = &[
    TestCard {
        number: "4242 4242 4242 4242",
        result: "success",
    },
    TestCard {
        number: "4000 0027 6000 3184",
        result: "3D Secure: the bank asks the customer",
    },
    TestCard {
        number: "4000 0000 0000 9995",
        result: "declined: INSUFFICIENT_FUNDS",
    },
    TestCard {
        number: "4000 0000 0000 0259",
        result: "success, then a dispute",
    },
    TestCard {
        number: "4000 0000 0000 0903",
        result: "no answer at first, then found out",
    },
];

#[derive(Template)]
#[template(path = "sandbox/start.html")]
struct StartPage {
    folder: String,
    api: String,
    cards: &'static [TestCard],
}

/// The overview: what is where. `api` is the address of the API, as the reader reaches it.
pub fn start(api: &str) -> String {
    rendered(&StartPage {
        folder: files::folder(),
        api: plain(api),
        cards: CARDS,
    })
}

#[derive(Template)]
#[template(path = "sandbox/explorer.html")]
struct ExplorerPage {
    folder: String,
}

/// The explorer of the API. Its scripts fill it.
pub fn explorer() -> String {
    rendered(&ExplorerPage {
        folder: files::folder(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_escapes_the_address_and_runs_nothing() {
        let page = start("http://a\"><script>/api/graphql");
        assert!(page.contains("http://a&#34;&#62;&#60;script&#62;/api/graphql"));
        assert!(!page.contains("<script"), "{page}");
        assert!(
            page.contains("<title>TEST · Pointsman sandbox</title>"),
            "{page}"
        );
        assert!(page.contains("href=\"/explorer\""), "{page}");
    }

    #[test]
    fn the_explorer_has_no_script_or_style_of_its_own() {
        let page = explorer();
        assert_eq!(page.matches("<script").count(), 1, "{page}");
        assert!(
            page.contains("<script type=\"module\" src=\"/pages/v1/"),
            "{page}"
        );
        assert!(
            !page.contains("<style") && !page.contains(" style="),
            "{page}"
        );
        assert!(
            page.contains("<title>TEST · API explorer</title>"),
            "{page}"
        );
    }
}
