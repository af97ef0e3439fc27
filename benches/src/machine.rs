//! The machine and the versions that a measurement was taken with.

use std::process::Command;

/// Versions of the packages that were built, from the lock file.
const LOCK: &str = include_str!("../../Cargo.lock");

/// One line each on the machine, its load, the compiler and the engines.
pub fn describe() -> Vec<String> {
    let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = file("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let threads = crate::threads::at_once();
    let load = file("/proc/loadavg");
    vec![
        format!("machine: {}, {threads} threads", model.trim_start_matches(['\t', ' ', ':'])),
        format!("load before: {}", load.split(' ').take(3).collect::<Vec<_>>().join(" ")),
        format!("compiler: {}", compiler()),
        format!(
            "grammarc: {} at {}",
            version("grammarc"),
            output("git", &["rev-parse", "--short", "HEAD"])
        ),
        format!("llguidance: {}", version("llguidance")),
    ]
}

/// The compiler's own words on its version.
pub fn compiler() -> String {
    output("rustc", &["--version"])
}

/// Today, as 2026-11-21.
pub fn date() -> String {
    output("date", &["-u", "+%F"])
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_else(|_| "unknown".to_owned())
}

/// The version of a package in the lock file.
fn version(package: &str) -> &'static str {
    let after = LOCK.split_once(&format!("name = \"{package}\"\nversion = \""));
    after.and_then(|(_, rest)| rest.split_once('"')).map_or("unknown", |(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_found() {
        assert!(version("llguidance").starts_with('1'));
        assert_eq!(version("no such package"), "unknown");
    }
}
