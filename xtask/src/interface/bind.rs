//! From the compiled WebAssembly to what the browser loads: split where functions and islands are marked as lazy, bound to
//! JavaScript, and without what only a debugger reads.

use std::{fs, path::Path};

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

    let mut files = Vec::new();
    for path in split.split_modules {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        files.push((part_name(&stem), stripped(&fs::read(&path)?)?));
    }
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
    let mut loaders: Vec<_> = split.prefetch_map.into_iter().collect();
    loaders.sort();
    let glue = shortened(&squeezed(bound.js()), bound.wasm_mut())?;
    let js = link(&glue, &loaders, &files)?;
    files.push(("frontend_bg.wasm".to_owned(), bound.wasm_mut().emit_wasm()));
    files.push(("frontend.js".to_owned(), js.into_bytes()));
    Ok(files)
}

/// `split_review_loader_123` holds the island `Review`: `review.wasm`. `chunk_1` is what several share.
fn part_name(stem: &str) -> String {
    let Some(name) = stem.strip_prefix("split_") else { return format!("{stem}.wasm") };
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    format!("part_{}.wasm", name.trim_end_matches("_loader"))
}

/// The glue, which loads parts as well: its import of [`LINK`] is replaced by the thing itself.
fn link(js: &str, loaders: &[(String, Vec<String>)], files: &[(String, Vec<u8>)]) -> Result<String> {
    let from = format!(" from \"{LINK}\"");
    let imports = |line: &str| line.strip_prefix("import * as ")?.strip_suffix(&from).map(str::to_owned);
    let names: Vec<_> = js.lines().filter_map(imports).collect();
    ensure!(names.is_empty() == loaders.is_empty(), "wasm-bindgen's glue imports its parts in a new way");
    let mut linked: String = js.lines().filter(|line| imports(line).is_none()).flat_map(|line| [line, "\n"]).collect();
    linked += RUNTIME;
    linked += "const parts = {\n";
    for (split, stems) in loaders {
        let urls = stems.iter().map(|stem| url(&part_name(stem), files)).collect::<Result<Vec<_>>>()?;
        linked += &format!("__wasm_split_load_{split}: loader({}),\n", urls.join(", "));
    }
    linked += "};\n";
    for name in names {
        linked += &format!("const {name} = parts;\n");
    }
    Ok(linked)
}

/// Without comments and indentation.
fn squeezed(js: &str) -> String {
    let lines = js.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| !["/*", "* ", "*/", "//"].iter().any(|c| line.starts_with(c))).flat_map(|l| [l, "\n"]).collect()
}

/// What WebAssembly and glue call of each other, under short names: the long ones hold a hash each, which nothing can
/// compress, in both files.
fn shortened(js: &str, module: &mut walrus::Module) -> Result<String> {
    let mut glue = js.to_owned();
    let ours = |module: &str| module == "./frontend_bg.js";
    for (n, import) in module.imports.iter_mut().filter(|import| ours(&import.module)).enumerate() {
        let long = format!("\n{}: function(", import.name);
        if glue.contains(&long) {
            import.name = format!("_{n}");
            glue = glue.replace(&long, &format!("\n{}: function(", import.name));
        }
    }
    for (n, export) in module.exports.iter_mut().enumerate() {
        let called = format!("wasm.{}(", export.name);
        // Some are passed on as well.
        if glue.contains(&called) && glue.matches(&called).count() == glue.matches(&called[..called.len() - 1]).count()
        {
            export.name = format!("_{n}");
            glue = glue.replace(&called, &format!("wasm.{}(", export.name));
        }
    }
    let unnamed = module.imports.iter().find(|i| ours(&i.module) && !i.name.starts_with('_'));
    ensure!(unnamed.is_none(), "wasm-bindgen's glue gives {unnamed:?} in a new way");
    Ok(glue)
}

/// As a literal, relative to the glue.
fn url(name: &str, files: &[(String, Vec<u8>)]) -> Result<String> {
    let (_, bytes) = files.iter().find(|(file, _)| file == name).with_context(|| format!("there is no {name}"))?;
    let hash = format!("{:x}", Sha256::digest(bytes));
    Ok(format!("'./{name}?v={}'", &hash[..16]))
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
