//! Linker arguments for the shared library.
//!
//! Programs link to `libgrammarc` with the version of the interface. Cargo names the file after the crate, and the
//! installation renames it. The library is never unloaded: a compiler's threads may outlive the compiler, and they need the
//! code.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // Equal to `GRAMMARC_ABI_VERSION`, which a test checks.
    let abi = 1;
    match (variable("CARGO_CFG_TARGET_OS").as_str(), variable("CARGO_CFG_TARGET_FAMILY").as_str()) {
        ("macos", _) => {
            println!(
                "cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libgrammarc.{abi}.dylib"
            );
        }
        (_, "unix") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libgrammarc.so.{abi}");
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
        _ => {}
    }
}
