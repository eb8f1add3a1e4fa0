//! `cargo xtask`: builds `pkg/`, the committed WebAssembly half of the npm package, and proves that it is what the
//! sources say.

mod cargo;
mod glue;
mod inline;
mod pkg;
mod toolchain;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::toolchain::Toolchain;

const USAGE: &str = "\
cargo xtask build [--sabotage] [--debian]   write pkg/ (with --sabotage: target/sabotage/pkg/)
cargo xtask check-pkg [--debian]            rebuild and fail on any byte that differs from pkg/
cargo xtask reproducible                    the same, from a copy in another folder with a CARGO_HOME of its own

--debian builds with Debian's rustc instead of the pinned toolchain; its bytes differ, so they are never compared.";

/// Set to `1`, it lets `check-pkg` pass on a machine that cannot have the pinned toolchain.
const ALLOW_UNVERIFIED: &str = "ALLOW_UNVERIFIED_PKG";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Not returned: RUST_BACKTRACE would add a backtrace to every finding.
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, flags) = args.split_first().context(USAGE)?;
    if let Some(unknown) = flags.iter().find(|flag| !["--sabotage", "--debian"].contains(&flag.as_str())) {
        bail!("unknown option {unknown}\n\n{USAGE}");
    }
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let root = workspace_root()?;
    match command.as_str() {
        "build" => build(&root, &Toolchain::find(&root, has("--debian"))?, has("--sabotage")),
        "check-pkg" => check_pkg(&root, &Toolchain::find(&root, has("--debian"))?),
        "reproducible" => reproducible(&root),
        _ => bail!("unknown command {command}\n\n{USAGE}"),
    }
}

fn workspace_root() -> Result<PathBuf> {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").context("run it as `cargo xtask`")?;
    Ok(Path::new(&xtask).parent().context("xtask has no parent folder")?.to_path_buf())
}

fn build(root: &Path, toolchain: &Toolchain, sabotage: bool) -> Result<()> {
    let out = if sabotage { root.join("target/sabotage/pkg") } else { root.join("pkg") };
    let files = pkg::generate(root, &cargo::build(&cargo::Job::in_place(root, toolchain, sabotage))?)?;
    pkg::write(&files, &out)?;
    for (name, bytes) in &files {
        println!("{:>8} {}", bytes.len(), out.join(name).display());
    }
    if !toolchain.is_pinned() && !sabotage {
        println!("not made by the pinned toolchain ({toolchain}): do not commit it");
    }
    Ok(())
}

fn check_pkg(root: &Path, toolchain: &Toolchain) -> Result<()> {
    if !toolchain.is_pinned() && std::env::var(ALLOW_UNVERIFIED).as_deref() != Ok("1") {
        bail!(
            "pkg/ can only be verified with the pinned toolchain, and this is {toolchain}; \
             {ALLOW_UNVERIFIED}=1 builds it without the comparison"
        );
    }
    let files = pkg::generate(root, &cargo::build(&cargo::Job::in_place(root, toolchain, false))?)?;
    if toolchain.is_pinned() {
        pkg::compare(&files, &root.join("pkg"))?;
        println!("pkg/ is byte for byte what {toolchain} makes of the sources");
    } else {
        println!("UNVERIFIED: pkg/ was not compared; {toolchain} builds the sources ({ALLOW_UNVERIFIED}=1)");
    }
    Ok(())
}

fn reproducible(root: &Path) -> Result<()> {
    let toolchain = Toolchain::find(root, false)?;
    if !toolchain.is_pinned() {
        bail!("reproducibility is promised for the pinned toolchain only, and this is {toolchain}");
    }
    let elsewhere = std::env::temp_dir().join(format!("dacapo-reproducible-{}", std::process::id()));
    let files = cargo::Job::elsewhere(root, &elsewhere, &toolchain)
        .and_then(|job| cargo::build(&job))
        .and_then(|wasm| pkg::generate(root, &wasm));
    std::fs::remove_dir_all(&elsewhere).with_context(|| format!("removing {}", elsewhere.display()))?;
    pkg::compare(&files?, &root.join("pkg"))?;
    println!("the same bytes from {} with a CARGO_HOME of its own", elsewhere.display());
    Ok(())
}
