//! Pages for people: HTML by templates in `templates/`, and the files in `assets/` that they link to. The engine of the
//! templates (`askama`) escapes every text that is put into one; none is marked as safe.
//!
//! Pages for shoppers run no scripts. Of addresses this crate knows those of its own files alone; headers, framing and the
//! addresses of pages belong to the server.

mod files;
mod language;
pub mod sandbox;
pub mod sdk;
pub mod shopper;
mod texts;

pub use self::files::{FOLDER, File, all as files, find as find_file, folder};
pub use self::language::Language;
pub use self::texts::Text;

/// The text without control characters, which no page needs.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// The text of a page. Writing into memory can't fail.
fn rendered(page: &impl askama::Template) -> String {
    page.render().unwrap_or_default()
}
