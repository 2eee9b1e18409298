//! The languages with syntax colours: one row per language.

/// `(name, other names and file extensions, whole file names)`; the name is the grammar's own.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

pub(crate) const LANGUAGES: &[Row] = &[
    (
        "bash",
        &["sh", "shell", "zsh", "ksh", "console", "shellscript", "bats", "env"],
        &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", ".envrc", ".env", "PKGBUILD"],
    ),
    ("c", &["h"], &[]),
    ("c-sharp", &["cs", "csharp", "c#", "csx"], &[]),
    ("cpp", &["c++", "cc", "cxx", "hpp", "hh", "hxx", "h++", "ipp", "ino", "cu", "cuh"], &[]),
    ("css", &[], &[]),
    ("diff", &["patch"], &[]),
    ("dockerfile", &["docker", "containerfile"], &["Dockerfile", "Containerfile"]),
    ("go", &["golang"], &[]),
    ("hcl", &["tf", "tfvars", "terraform", "nomad"], &[".terraform.lock.hcl"]),
    ("html", &["htm", "xhtml"], &[]),
    ("java", &[], &[]),
    ("javascript", &["js", "jsx", "mjs", "cjs", "node", "javascriptreact"], &["Jakefile"]),
    (
        "json",
        &["jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest", "ipynb", "map"],
        &[".babelrc", ".eslintrc", ".prettierrc", "composer.lock", "Pipfile.lock", "flake.lock"],
    ),
    ("lua", &["luau"], &[".luacheckrc"]),
    ("make", &["mk", "makefile", "mak"], &["Makefile", "makefile", "GNUmakefile"]),
    ("markdown", &["md", "mdx", "mkd", "mdc"], &[]),
    ("nix", &[], &[]),
    ("php", &["phtml"], &[]),
    (
        "python",
        &["py", "py3", "python3", "pyi", "pyw", "bzl", "bazel", "star"],
        &["SConstruct", "BUILD", "WORKSPACE", "Tiltfile"],
    ),
    (
        "ruby",
        &["rb", "rake", "gemspec", "ru", "podspec"],
        &["Gemfile", "Rakefile", "Podfile", "Vagrantfile", "Brewfile", "Fastfile"],
    ),
    ("rust", &["rs"], &[]),
    ("scss", &["sass"], &[]),
    ("sql", &["mysql", "sqlite", "sqlite3", "postgres", "postgresql", "psql", "ddl"], &[]),
    ("svelte", &[], &[]),
    ("swift", &[], &[]),
    ("toml", &[], &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"]),
    ("tsx", &["typescriptreact"], &[]),
    ("typescript", &["ts", "mts", "cts"], &[]),
    ("vue", &[], &[]),
    (
        "xml",
        &["svg", "xsl", "xslt", "xsd", "plist", "csproj", "fsproj", "props", "targets", "rss", "wsdl", "xaml"],
        &[],
    ),
    ("yaml", &["yml"], &[".clang-format", ".clang-tidy", "CITATION.cff"]),
];

/// Language name from a path: its file name (`Dockerfile`, `Makefile`) or its extension. None: shown plain.
pub fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if let Some(row) = LANGUAGES.iter().find(|row| row.2.contains(&name)) {
        return Some(row.0);
    }
    if name.starts_with("Dockerfile.") || name.starts_with("Containerfile.") {
        return Some("dockerfile");
    }
    let (stem, extension) = name.rsplit_once('.')?;
    // `.env.local` and friends: the extension says which machine, the stem says what it is.
    if stem == ".env" { Some("bash") } else { language_named(extension) }
}

/// Language name from what people and agents write beside a code block: a name, an alias or an extension, in any case,
/// perhaps with attributes behind it (`rust,ignore`, `js {1,3}`, `python title="a.py"`).
pub(crate) fn language_named(written: &str) -> Option<&'static str> {
    let word = written.trim().trim_start_matches('.').split([',', ' ', '\t', '{', ':']).next()?;
    let is_it = |name: &&str| name.eq_ignore_ascii_case(word);
    LANGUAGES.iter().find(|row| is_it(&row.0) || row.1.iter().any(is_it)).map(|row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_claimed_once() {
        let mut names: Vec<&str> = LANGUAGES.iter().flat_map(|row| row.1.iter().copied().chain([row.0])).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn paths() {
        let cases = [
            ("src/main.rs", Some("rust")),
            ("C:\\work\\Program.CS", Some("c-sharp")),
            ("deploy/Dockerfile", Some("dockerfile")),
            ("Dockerfile.dev", Some("dockerfile")),
            ("GNUmakefile", Some("make")),
            ("a/.env.production", Some("bash")),
            ("Cargo.lock", Some("toml")),
            ("include/a.h", Some("c")),
            ("notes.txt", None),
            ("LICENSE", None),
            ("rs", None),
            ("dir.rs/file", None),
            ("", None),
            ("trailing.", None),
        ];
        for (path, want) in cases {
            assert_eq!(language_of(path), want, "{path}");
        }
    }

    #[test]
    fn written_names() {
        let cases = [
            ("Rust", Some("rust")),
            ("rust,ignore", Some("rust")),
            ("js {1,3}", Some("javascript")),
            (".tsx", Some("tsx")),
            ("C++", Some("cpp")),
            ("", None),
            ("text", None),
        ];
        for (written, want) in cases {
            assert_eq!(language_named(written), want, "{written}");
        }
    }
}
