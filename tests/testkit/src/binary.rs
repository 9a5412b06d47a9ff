//! Where the built service is.

use std::path::PathBuf;

/// The path of the built `pointsman`: `POINTSMAN_BIN`, else the one in the profile directory that the running executable
/// was built into: a program stands there itself, a test one folder below.
pub fn binary() -> PathBuf {
    if let Some(given) = std::env::var_os("POINTSMAN_BIN") {
        return PathBuf::from(given);
    }
    let test = std::env::current_exe().expect("the test executable has a path");
    let alongside = test
        .parent()
        .expect("the executable is in target/<profile>")
        .join("pointsman");
    if alongside.exists() {
        return alongside;
    }
    let profile = test
        .parent()
        .and_then(std::path::Path::parent)
        .expect("the test executable is in target/<profile>/deps");
    let found = profile.join("pointsman");
    assert!(
        found.exists(),
        "{} is missing: build it first with `cargo build -p server`",
        found.display()
    );
    found
}
