//! One style sheet per component, named as the component's Rust file, imported, and without long lines.
use super::{Finding, Tree, tree::File};

const MAIN: &str = "style/main.css";
/// Sheets that belong to no component.
const SHARED: [&str; 4] = [MAIN, "style/base.css", "style/tokens.css", "style/common/"];
/// Characters; Prettier aims at 120, but doesn't break every value.
const LONGEST_LINE: usize = 160;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let imports = tree.file(MAIN).map_or("", |main| &main.text);
    let sheets = tree.below("style/").filter(|file| file.extension() == "css");
    sheets.flat_map(|sheet| in_sheet(tree, imports, sheet)).collect()
}

fn in_sheet(tree: &Tree, imports: &str, sheet: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found = |place: String, what: String, why| findings.push(Finding { place, what, why });
    for (number, line) in sheet.lines().filter(|(_, line)| line.chars().count() > LONGEST_LINE) {
        let what = format!("{} characters", line.chars().count());
        found(format!("{}:{number}", sheet.path), what, "160 at most: `npx prettier --write ../style` in `end2end`");
    }
    let import = format!("@import \"{}\";", sheet.path.trim_start_matches("style/"));
    if sheet.path != MAIN && !imports.lines().any(|line| line == import) {
        found(sheet.path.clone(), "not imported".to_owned(), "`style/main.css` imports every sheet");
    }
    if !SHARED.iter().any(|shared| sheet.path.starts_with(shared)) && !has_component(tree, &sheet.path) {
        found(
            sheet.path.clone(),
            "no component of this name".to_owned(),
            "a sheet is named as its component's Rust file",
        );
    }
    findings
}

/// True for a Rust file of the interface with the sheet's name, in whatever folder.
fn has_component(tree: &Tree, sheet: &str) -> bool {
    let name = sheet.rsplit('/').next().unwrap_or(sheet).trim_end_matches(".css");
    let file = format!("/{name}.rs");
    tree.0.iter().any(|rust| {
        rust.path.ends_with(&file) && ["app/src/", "frontend/src/"].iter().any(|part| rust.path.starts_with(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_imported_named_as_its_component_and_narrow() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let tree = Tree(vec![
            file("app/src/message/todo.rs", ""),
            file("style/common/button.css", &"x".repeat(161)),
            file("style/main.css", "@import \"common/button.css\";\n@import \"message/todo.css\";\n"),
            file("style/message/pie.css", ""),
            file("style/message/todo.css", ""),
        ]);
        let found: Vec<String> = check(&tree).iter().map(|found| format!("{}: {}", found.place, found.what)).collect();
        assert_eq!(
            found,
            [
                "style/common/button.css:1: 161 characters",
                "style/message/pie.css: not imported",
                "style/message/pie.css: no component of this name"
            ]
        );
    }
}
