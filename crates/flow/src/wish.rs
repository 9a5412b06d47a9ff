//! The words of documents for what the domain calls a wish about 3D Secure.

use domain::payment::ThreeDsWish;

/// Every wish.
pub(crate) const ALL: [ThreeDsWish; 3] = [
    ThreeDsWish::Request,
    ThreeDsWish::Avoid,
    ThreeDsWish::AsIssuer,
];

/// Its word.
pub(crate) const fn word(wish: ThreeDsWish) -> &'static str {
    match wish {
        ThreeDsWish::Request => "request",
        ThreeDsWish::Avoid => "avoid",
        ThreeDsWish::AsIssuer => "as_issuer",
    }
}

/// Reads the word.
pub(crate) fn parse(text: &str) -> Option<ThreeDsWish> {
    ALL.into_iter().find(|wish| word(*wish) == text)
}
