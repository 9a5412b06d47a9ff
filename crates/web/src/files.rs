//! The files that pages link to: styles, the mark, the scripts of the sandbox's pages. They are part of the binary.
//!
//! All of them stand below one folder whose name is a hash of their contents, so that a browser may keep each
//! permanently, and the files may refer to each other by relative addresses.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The folder above the hash. The server's route for the files begins with it.
pub const FOLDER: &str = "/pages/v1/";

/// Length of the hash in an address. Unit: hexadecimal digits.
const HASH: usize = 20;

/// A file that pages link to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// Its path below the hash, such as `explorer/main.js`.
    pub path: &'static str,
    /// What it holds.
    pub content: &'static str,
    /// Whether only pages of the sandbox link to it.
    pub is_of_sandbox: bool,
}

impl File {
    /// Its media type, by its name.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next() {
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("json") => "application/json",
            Some("svg") => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        }
    }
}

macro_rules! file {
    ($path:literal, $is_of_sandbox:literal) => {
        File {
            path: $path,
            content: include_str!(concat!("../assets/", $path)),
            is_of_sandbox: $is_of_sandbox,
        }
    };
}

const FILES: &[File] = &[
    file!("explorer/completion.js", true),
    file!("explorer/documentation.js", true),
    file!("explorer/editor.js", true),
    file!("explorer/elements.js", true),
    file!("explorer/examples.js", true),
    file!("explorer/examples.json", true),
    file!("explorer/json.js", true),
    file!("explorer/language.js", true),
    file!("explorer/main.js", true),
    file!("explorer/request.js", true),
    file!("explorer/schema.js", true),
    file!("mark.svg", false),
    file!("pages.css", false),
    file!("sandbox.css", true),
];

static HASH_OF_ALL: LazyLock<String> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    for file in FILES {
        for part in [file.path, file.content] {
            // The length keeps "a" + "bc" and "ab" + "c" apart.
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
    }
    let mut hash = hex::encode(digest.finalize());
    hash.truncate(HASH);
    hash
});

/// The folder of the files of this build, with a slash at its end.
pub fn folder() -> String {
    format!("{FOLDER}{}/", *HASH_OF_ALL)
}

/// The file at a path, if the hash is that of this build.
pub fn find(hash: &str, path: &str) -> Option<File> {
    if hash != HASH_OF_ALL.as_str() {
        return None;
    }
    FILES.iter().find(|file| file.path == path).copied()
}

/// Every file, for the server's tests.
pub fn all() -> &'static [File] {
    FILES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_under_the_hash_of_this_build_alone() {
        let folder = folder();
        let hash = folder.trim_start_matches(FOLDER).trim_end_matches('/');
        assert_eq!(hash.len(), HASH);
        for file in all() {
            assert_eq!(find(hash, file.path), Some(*file));
            assert_eq!(find("0", file.path), None);
            assert!(!file.content.is_empty(), "{}", file.path);
            assert!(
                !file.media_type().starts_with("text/plain"),
                "{}",
                file.path
            );
        }
        assert_eq!(find(hash, "../pages.css"), None);
    }

    #[test]
    fn files_refer_to_nothing_outside() {
        for file in all() {
            let text = file
                .content
                .replace("http://www.w3.org/2000/svg", "")
                .replace("https://shop.example", "");
            for outside in [
                "http://",
                "https://",
                "url(",
                "@import",
                "eval(",
                "innerHTML",
            ] {
                assert!(!text.contains(outside), "{}: {outside}", file.path);
            }
        }
    }
}
