//! Arguments of the linker for the shared library.
//!
//! Its name for programs that link to it is `libgrammarc`, with the number of the interface: the file that Cargo makes is
//! named after the crate, and is renamed when it is installed. It stays loaded once it is loaded: threads of a compiler end
//! on their own after the compiler is freed, and their code must not be gone by then.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // The number of `GRAMMARC_ABI_VERSION`; a test holds the two together.
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
