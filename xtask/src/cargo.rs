//! Compiles the crate to wasm so that the bytes depend on the sources and the toolchain alone, not on where they lie.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::toolchain::{TARGET, Toolchain};

/// What a build of the crate reads, besides its dependencies.
const SOURCES: [&str; 6] = ["Cargo.toml", "Cargo.lock", "README.md", ".cargo", "src", "xtask"];

/// What the package is built with.
const FEATURES: &str = "bindings";

pub struct Job<'a> {
    toolchain: &'a Toolchain,
    features: &'static str,
    root: PathBuf,
    target_dir: PathBuf,
    cargo_home: PathBuf,
}

impl<'a> Job<'a> {
    pub fn in_place(root: &Path, toolchain: &'a Toolchain, sabotage: bool) -> Self {
        // Two compilers in one folder would rebuild each other's dependencies at every turn.
        let target_dir = root.join(if toolchain.is_debian() { "target/debian" } else { "target" });
        let features = if sabotage { "bindings,sabotage" } else { FEATURES };
        Self { toolchain, features, root: root.to_path_buf(), target_dir, cargo_home: cargo_home() }
    }

    /// A copy of the sources under `folder`, with nothing in common with `root` but the toolchain.
    pub fn elsewhere(root: &Path, folder: &Path, toolchain: &'a Toolchain) -> Result<Self> {
        let copy = folder.join("a folder of another name");
        fs::create_dir_all(&copy)?;
        for source in SOURCES {
            copy_tree(&root.join(source), &copy.join(source)).with_context(|| format!("copying {source}"))?;
        }
        let home = folder.join("home");
        fs::create_dir_all(&home)?;
        copy_tree(&cargo_home().join("config.toml"), &home.join("config.toml"))?;
        Ok(Self { toolchain, features: FEATURES, root: copy, target_dir: folder.join("target"), cargo_home: home })
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = self.toolchain.cargo();
        cargo.current_dir(&self.root).env("CARGO_HOME", &self.cargo_home).args([subcommand, "--locked"]);
        cargo
    }

    fn rustflags(&self) -> Result<OsString> {
        let sysroot = &self.toolchain.sysroot;
        // Messages and debug names carry the paths of source files; rustc takes the last prefix that matches.
        let mut prefixes = vec![
            (self.root.clone(), "/dacapo".to_owned()),
            (self.target_dir.clone(), "/target".to_owned()),
            (self.cargo_home.clone(), "/cargo".to_owned()),
            (sysroot.clone(), "/rust".to_owned()),
            (self.toolchain.source(), format!("/rustc/{}", self.toolchain.commit)),
        ];
        // One folder for each registry, named after its address.
        let registries = self.cargo_home.join("registry/src");
        for registry in fs::read_dir(&registries).with_context(|| format!("reading {}", registries.display()))? {
            prefixes.push((registry?.path(), "/crates".to_owned()));
        }
        let mut flags = OsString::from("-Zunstable-options\x1f-Cpanic=immediate-abort");
        for (from, to) in prefixes {
            flags.push("\x1f--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
        Ok(flags)
    }
}

/// The path of the wasm module, before wasm-bindgen.
pub fn build(job: &Job) -> Result<PathBuf> {
    run(job.cargo("fetch").arg("--quiet"))?;
    let mut rustc = job.cargo("rustc");
    // As a cdylib alone: with the rlib beside it cargo leaves link-time optimisation out.
    rustc
        .args(["--package", "dacapo", "--lib", "--crate-type", "cdylib", "--release"])
        .args(["--target", TARGET, "--features", job.features])
        .args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"])
        .arg("--target-dir")
        .arg(&job.target_dir)
        // Building the standard library is unstable in every release; here the release is pinned.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", job.rustflags()?);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
            rustc.env_remove(name);
        }
    }
    run(&mut rustc)?;
    Ok(job.target_dir.join(TARGET).join("release/dacapo.wasm"))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("running {command:?}"))?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}

fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_else(|| PathBuf::from("/nonexistent"))
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_tree(&from.join(&name), &to.join(&name))?;
        }
    } else if from.is_file() {
        fs::copy(from, to)?;
    }
    Ok(())
}
