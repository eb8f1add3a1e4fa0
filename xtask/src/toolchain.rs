//! Which compiler builds the wasm: the one `rust-toolchain.toml` pins, or Debian's where that cannot be had.
//!
//! Either compiles the standard library along, from source: only so can it leave out the texts and the formatting of
//! panics, which nobody can read on this target anyway, and which are a quarter of a small module.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// The `-web` packages are the newest rustc that a Debian release has.
const DEBIAN_PACKAGES: &str = "rustc-web cargo-web rust-web-src lld-19";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

pub struct Toolchain {
    kind: Kind,
    version: String,
    pub sysroot: PathBuf,
    pub commit: String,
}

#[derive(PartialEq)]
enum Kind {
    Pinned,
    Unpinned,
    Debian,
}

impl Toolchain {
    /// The toolchain that cargo runs under, its sources added if they can be; else, or when asked for, Debian's.
    pub fn find(root: &Path, debian: bool) -> Result<Self> {
        if debian {
            return Self::debian();
        }
        let active = Self::describe(Path::new("rustc"), Kind::Unpinned)?;
        if active.has_source() || add_source() && active.has_source() {
            let kind = if active.version == pinned_version(root)? { Kind::Pinned } else { Kind::Unpinned };
            return Ok(Self { kind, ..active });
        }
        Self::debian().with_context(|| format!("rustc {} has no rust-src", active.version))
    }

    pub fn is_pinned(&self) -> bool {
        self.kind == Kind::Pinned
    }

    pub fn is_debian(&self) -> bool {
        self.kind == Kind::Debian
    }

    /// A cargo command that compiles with this toolchain.
    pub fn cargo(&self) -> Command {
        if !self.is_debian() {
            return Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        }
        let mut cargo = Command::new("/usr/bin/cargo");
        cargo.env("RUSTC", DEBIAN_RUSTC).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19");
        cargo
    }

    /// Where the standard library's sources lie.
    pub fn source(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust")
    }

    fn debian() -> Result<Self> {
        if !Path::new(DEBIAN_RUSTC).exists() {
            bail!("try `rustup component add rust-src`, or on Debian `apt-get install {DEBIAN_PACKAGES}`");
        }
        Self::describe(Path::new(DEBIAN_RUSTC), Kind::Debian)
    }

    fn describe(rustc: &Path, kind: Kind) -> Result<Self> {
        let verbose = stdout(Command::new(rustc).arg("-vV"))?;
        let field = |name: &str| {
            verbose
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                .with_context(|| format!("`rustc -vV` names no {name}"))
                .map(str::to_owned)
        };
        let sysroot = PathBuf::from(stdout(Command::new(rustc).args(["--print", "sysroot"]))?.trim());
        Ok(Self { kind, version: field("release")?, sysroot, commit: field("commit-hash")? })
    }

    fn has_source(&self) -> bool {
        self.source().join("library/Cargo.lock").is_file()
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = match self.kind {
            Kind::Pinned => "the pinned ",
            Kind::Unpinned => "",
            Kind::Debian => "Debian's ",
        };
        write!(f, "{origin}rustc {}", self.version)
    }
}

fn pinned_version(root: &Path) -> Result<String> {
    let path = root.join("rust-toolchain.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .with_context(|| format!("{} has no channel line", path.display()))
}

fn add_source() -> bool {
    Command::new("rustup").args(["component", "add", "rust-src"]).status().is_ok_and(|status| status.success())
}

fn stdout(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("running {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
