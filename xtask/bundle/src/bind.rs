//! From the compiled WebAssembly to what the browser loads: split where functions and islands are marked as lazy, bound to
//! JavaScript, and without what only a debugger reads.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result, anyhow, ensure};
use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::Options;

/// As the program imports what loads its parts. No such file exists: [`link`] makes it part of the glue.
const LINK: &str = "./parts.js";
const RUNTIME: &str = include_str!("link.js");

/// Files by name. `frontend.js` names the parts with their hashes.
pub fn bind(wasm: &[u8], scratch: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let _ = fs::remove_dir_all(scratch);
    let whole = scratch.join("whole.wasm");
    let mut options = Options::new(wasm);
    (options.output_dir, options.main_out_path, options.link_name) = (scratch, &whole, LINK);
    let split = wasm_split_cli_support::transform(options).map_err(|e| anyhow!("splitting failed: {e:?}"))?;

    let mut bound = Bindgen::new()
        .input_bytes("frontend", fs::read(&whole)?)
        .out_name("frontend")
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        // The page names the file: it carries the hash that lets browsers keep it for ever.
        .omit_default_module_path(true)
        // The parts share memory and tables.
        .keep_lld_exports(true)
        .generate_output()
        .context("binding the WebAssembly failed")?;
    let mut splits: Vec<_> = split.prefetch_map.into_iter().collect();
    splits.sort();
    let parts = splits.iter().map(|(name, stems)| Part::read(name, stems, scratch)).collect::<Result<Vec<_>>>()?;
    let files: BTreeSet<_> = parts.iter().map(|part| &part.file).collect();
    ensure!(files.len() == parts.len(), "two lazy functions or islands have the same name: {files:?}");
    let js = link(bound.js(), &parts)?;
    let mut files: Vec<_> = parts.into_iter().map(|part| (part.file, part.bytes)).collect();
    files.push(("frontend_bg.wasm".to_owned(), bound.wasm_mut().emit_wasm()));
    files.push(("frontend.js".to_owned(), js.into_bytes()));
    Ok(files)
}

/// The modules that are loaded together when a function that is marked as lazy is first called.
struct Part {
    /// Its name in the program: `review_loader_123` for the island `Review`.
    name: String,
    file: String,
    /// The name of each module, and its size in `bytes`.
    modules: Vec<(String, usize)>,
    bytes: Vec<u8>,
}

impl Part {
    fn read(name: &str, stems: &[String], scratch: &Path) -> Result<Self> {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        let file = format!("part_{}.bin", plain.trim_end_matches("_loader"));
        let mut part = Self { name: name.to_owned(), file, modules: Vec::new(), bytes: Vec::new() };
        for stem in stems {
            let module = stripped(&fs::read(scratch.join(stem).with_added_extension("wasm"))?)?;
            part.modules.push((stem.clone(), module.len()));
            part.bytes.extend(module);
        }
        Ok(part)
    }

    /// The entry of the glue. It names the file relative to itself.
    fn loader(&self) -> String {
        let hash = format!("{:x}", Sha256::digest(&self.bytes));
        let sizes: Vec<_> = self.modules.iter().map(|(stem, size)| format!("{stem}: {size}")).collect();
        let (name, file, sizes) = (&self.name, &self.file, sizes.join(", "));
        format!("__wasm_split_load_{name}: loader('./{file}?v={}', {{ {sizes} }}),\n", &hash[..16])
    }
}

/// The glue, which loads parts as well: its import of [`LINK`] is replaced by the thing itself.
fn link(js: &str, parts: &[Part]) -> Result<String> {
    let from = format!(" from \"{LINK}\"");
    let imports = |line: &str| line.strip_prefix("import * as ")?.strip_suffix(&from).map(str::to_owned);
    let names: Vec<_> = js.lines().filter_map(imports).collect();
    ensure!(names.is_empty() == parts.is_empty(), "wasm-bindgen's glue imports its parts in a new way");
    let mut linked: String = js.lines().filter(|line| imports(line).is_none()).flat_map(|line| [line, "\n"]).collect();
    linked += RUNTIME;
    linked += "const parts = {\n";
    linked.extend(parts.iter().map(Part::loader));
    linked += "};\n";
    for name in names {
        linked += &format!("const {name} = parts;\n");
    }
    Ok(linked)
}

fn stripped(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = walrus::ModuleConfig::new()
        .generate_name_section(false)
        .generate_producers_section(false)
        .parse(wasm)
        .context("a part can't be read")?;
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}
