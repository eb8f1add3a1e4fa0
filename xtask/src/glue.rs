//! What is changed in wasm-bindgen's glue, for size.
//!
//! The names of imports and exports end in a hash, stand in both the module and the glue, and no bundler can shorten
//! them: of a small module they are several percent. The asynchronous way to start is never taken, but bundlers keep it
//! because the engine is handed around as one namespace.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

/// Under this name the module asks for all that it imports.
pub const IMPORTER: &str = "a";

/// New names given in the module, for the glue to follow.
#[derive(Default)]
pub struct Renames {
    importers: BTreeSet<String>,
    imports: Vec<Rename>,
    exports: Vec<Rename>,
}

struct Rename {
    old: String,
    new: String,
}

impl Renames {
    pub fn import(&mut self, importer: &str, name: &str) -> String {
        self.importers.insert(importer.to_owned());
        push(&mut self.imports, name)
    }

    pub fn export(&mut self, name: &str) -> String {
        push(&mut self.exports, name)
    }

    /// Whether the glue reads this export.
    pub fn reads(glue: &str, export: &str) -> bool {
        replace(glue, "wasm.", export, "").1 > 0
    }

    /// Fails when wasm-bindgen no longer writes its glue the way this module knows.
    pub fn apply(&self, glue: &mut String) -> Result<()> {
        for importer in &self.importers {
            replace_one(glue, "\n        \"", importer, IMPORTER)?;
        }
        for Rename { old, new } in &self.imports {
            replace_one(glue, "\n        ", old, new)?;
        }
        for Rename { old, new } in &self.exports {
            *glue = replace(glue, "wasm.", old, new).0;
        }
        Ok(())
    }
}

/// Leaves `initSync` as the only way to start.
pub fn drop_async_init(glue: &mut String, types: &mut String) -> Result<()> {
    cut(glue, "async function __wbg_load(", "function initSync(")?;
    cut(glue, "let __wbg_init_promise", "export { initSync,")?;
    cut(glue, ", __wbg_init as default", " };")?;
    // What it returns are the module's exports, which are the glue's business alone.
    cut(types, "export type InitInput ", "export type SyncInitInput ")?;
    let (head, _) = types.split_once("InitOutput;").context("the glue's types have no `InitOutput;`")?;
    *types = format!("{head}unknown;\n");
    Ok(())
}

/// Lets a timer or promise of an instance that has trapped end in nothing. Its call has been rejected by then, and what
/// wasm-bindgen throws instead would reach nobody but the process, as an uncaught error.
pub fn quiet_stale_closures(glue: &mut String) -> Result<()> {
    let loud = "throw new Error('Cannot invoke closure from previous WASM instance');";
    let (head, tail) = glue.split_once(loud).with_context(|| format!("the glue has no `{loud}`"))?;
    *glue = format!("{head}return;{tail}");
    Ok(())
}

/// Takes out all from `start` up to, but not with, the first `end` after it.
fn cut(text: &mut String, start: &str, end: &str) -> Result<()> {
    let shape = || format!("the glue has no `{start}` before `{end}`: wasm-bindgen writes it another way now");
    let (head, rest) = text.split_once(start).with_context(shape)?;
    let (_, tail) = rest.split_once(end).with_context(shape)?;
    *text = format!("{head}{end}{tail}");
    Ok(())
}

fn push(renames: &mut Vec<Rename>, old: &str) -> String {
    let new = short(renames.len());
    renames.push(Rename { old: old.to_owned(), new: new.clone() });
    new
}

/// The `index`th name: `a` to `z`, then `a1`, `b1` and so on. None is a reserved word.
fn short(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// The text with every `{before}{old}` that ends where an identifier ends replaced, and how many there were.
fn replace(text: &str, before: &str, old: &str, new: &str) -> (String, usize) {
    let pattern = format!("{before}{old}");
    let mut parts = text.split(&pattern);
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        if part.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_' || next == '$') {
            out.push_str(&pattern);
        } else {
            out.push_str(before);
            out.push_str(new);
            count += 1;
        }
        out.push_str(part);
    }
    (out, count)
}

fn replace_one(text: &mut String, before: &str, old: &str, new: &str) -> Result<()> {
    let (replaced, count) = replace(text, before, old, new);
    if count != 1 {
        bail!("the glue has {count} lines that begin with `{old}`, not one: wasm-bindgen writes it another way now");
    }
    *text = replaced;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_distinct() {
        let names: BTreeSet<_> = (0..300).map(short).collect();
        assert_eq!(names.len(), 300);
    }

    #[test]
    fn a_longer_identifier_is_left_alone() {
        let (text, count) = replace("wasm.ab() + wasm.abc + wasm.ab", "wasm.", "ab", "z");
        assert_eq!((text.as_str(), count), ("wasm.z() + wasm.abc + wasm.z", 2));
    }

    #[test]
    fn glue_of_another_shape_is_refused() {
        let mut renames = Renames::default();
        renames.import("./dacapo_bg.js", "__wbg_then_1");
        let mut glue = "return { \"./dacapo_bg.js\": imports };".to_owned();
        assert!(renames.apply(&mut glue).is_err());
        assert!(drop_async_init(&mut glue, &mut String::new()).is_err());
    }
}
