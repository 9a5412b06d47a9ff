//! Compresses the built files of the browser SDK (`assets/sdk/`, committed) and lists them for `src/http/sdk/files.rs`.
//! It runs no bundler and reaches for no network: `sdk/build.mjs` writes those files, and `./test` compares.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

fn main() -> Result<(), Box<dyn Error>> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sdk");
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let out = PathBuf::from(out);
    println!("cargo:rerun-if-changed={}", assets.display());
    println!("cargo:rerun-if-changed=build.rs");
    let mut list = String::from("&[\n");
    for path in sorted(&assets)? {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or("a file of assets/sdk has a name that is not UTF-8")?;
        let compressed = out.join(format!("{name}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(&path)?)?;
        fs::write(&compressed, encoder.finish()?)?;
        let [plain, gzip] = [path.to_str(), compressed.to_str()]
            .map(|path| path.ok_or("a directory has a name that is not UTF-8"));
        let (plain, gzip) = (plain?, gzip?);
        writeln!(
            list,
            "Built {{ name: {name:?}, plain: include_bytes!({plain:?}), gzip: include_bytes!({gzip:?}) }},"
        )?;
    }
    list.push(']');
    fs::write(out.join("sdk_files.rs"), list)?;
    Ok(())
}

/// The files in and below a directory, by their names.
fn sorted(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sorted(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
