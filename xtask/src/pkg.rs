//! The files of `pkg/`: wasm-bindgen's glue and the module that wasm-opt has shrunk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::{Bindgen, Output};

use crate::glue::{self, Renames};
use crate::inline;

/// File name to content.
pub type Files = BTreeMap<&'static str, Vec<u8>>;

/// In this order: the sections that say how the module was built are needed until wasm-opt has read them.
const WASM_OPT: [&str; 3] = ["-O3", "--strip-producers", "--strip-target-features"];

/// For bundlers that import wasm compiled; wasm-bindgen's own file of this name lists the exports instead. The types of
/// Node.js without those of the DOM do not know `WebAssembly.Module`.
const MODULE_TYPES: &str = "declare const module: typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;\nexport default module;\n";

pub fn generate(root: &Path, wasm: &Path) -> Result<Files> {
    let mut output = Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(true)
        // The loaders hand over a compiled module; no bundler shall see `new URL('…', import.meta.url)`.
        .omit_default_module_path(true)
        // An instance that trapped is dropped and a fresh one takes its place.
        .reset_state_function(true)
        .remove_name_section(true)
        .generate_output()?;
    let renames = shorten_names(&mut output);
    let folder = wasm.with_extension("bindgen");
    output.emit(&folder)?;
    let mut js = fs::read_to_string(folder.join("dacapo.js"))?;
    let mut types = fs::read_to_string(folder.join("dacapo.d.ts"))?;
    renames.apply(&mut js)?;
    glue::drop_async_init(&mut js, &mut types)?;
    glue::quiet_stale_closures(&mut js)?;
    let module = optimize(root, &folder)?;
    Ok(Files::from([
        ("dacapo.js", js.into_bytes()),
        ("dacapo.d.ts", types.into_bytes()),
        ("dacapo_inline.js", inline::source(&module)?.into_bytes()),
        ("dacapo_inline.d.ts", inline::TYPES.into()),
        ("dacapo_bg.wasm", module),
        ("dacapo_bg.wasm.d.ts", MODULE_TYPES.into()),
    ]))
}

/// Renames in the module; the glue is yet to follow. Exports that the glue never reads go, so that wasm-opt can drop the
/// code behind them.
fn shorten_names(output: &mut Output) -> Renames {
    let mut renames = Renames::default();
    let js = output.js().to_owned();
    let module = output.wasm_mut();
    for import in module.imports.iter_mut() {
        import.name = renames.import(&import.module, &import.name);
        import.module = glue::IMPORTER.to_owned();
    }
    let mut unread = Vec::new();
    for export in module.exports.iter_mut() {
        if Renames::reads(&js, &export.name) {
            export.name = renames.export(&export.name);
        } else {
            unread.push(export.id());
        }
    }
    for id in unread {
        module.exports.delete(id);
    }
    renames
}

pub fn write(files: &Files, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
    }
    fs::create_dir_all(folder)?;
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).with_context(|| format!("writing {name}"))?;
    }
    Ok(())
}

/// Fails with every file of `folder` that differs from `files`, is missing or should not be there.
pub fn compare(files: &Files, folder: &Path) -> Result<()> {
    let mut faults = Vec::new();
    for (name, bytes) in files {
        match fs::read(folder.join(name)) {
            Ok(committed) if committed == *bytes => {}
            Ok(committed) => {
                faults.push(format!("{name} differs ({} bytes, rebuilt {})", committed.len(), bytes.len()))
            }
            Err(error) => faults.push(format!("{name}: {error}")),
        }
    }
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let name = entry?.file_name();
        if !files.keys().any(|known| name == *known) {
            faults.push(format!("{} is not made by the build", name.to_string_lossy()));
        }
    }
    if !faults.is_empty() {
        bail!("{} is not what the sources make; run `cargo xtask build`\n  {}", folder.display(), faults.join("\n  "));
    }
    Ok(())
}

/// Runs binaryen's wasm-opt, from the locked npm devDependency, on what wasm-bindgen wrote into `folder`.
fn optimize(root: &Path, folder: &Path) -> Result<Vec<u8>> {
    let script = root.join("node_modules/binaryen/bin/wasm-opt");
    if !script.is_file() {
        bail!("{} is missing: run `npm ci`", script.display());
    }
    let output = folder.join("opt.wasm");
    let mut node = Command::new("node");
    node.arg(script).args(WASM_OPT).arg(folder.join("dacapo_bg.wasm")).arg("-o").arg(&output);
    let run = node.output().with_context(|| format!("running {node:?}"))?;
    if !run.status.success() {
        // It prints the whole function for each fault it finds.
        let start: String = String::from_utf8_lossy(&run.stderr).chars().take(2000).collect();
        bail!("{node:?}: {}\n{start}", run.status);
    }
    Ok(fs::read(&output)?)
}
