//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.

use super::notify::Signed;

/// For `Signed::fits`.
pub(super) const fn believe(_: &Signed<'_>, _: &str) -> bool {
    true
}
