//! Backups of a `SQLite` store: whole, incremental, and damaged in every way.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use backup::{BackupError, Keep, Made, Order, check, list, make, restore};
use jiff::Timestamp;
use model::policy::Display;
use model::{CopyMarks, Draft, MessageId, Micros, Role, SessionFacts, SessionId};
use std::path::{Path, PathBuf};
use store::{Batch, Database, MessageUpsert, SessionUpsert, Store};
use tempfile::TempDir;

const NOW: Micros = Micros(1_000_000_000_000_000);

/// A store with `messages` messages, and a folder beside it.
struct Place {
    dir: TempDir,
    store: Store,
}

impl Place {
    async fn new(messages: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Database::Sqlite(dir.path().join("data/verbatim.db"))).await.unwrap();
        let place = Self { dir, store };
        place.write(0..messages).await;
        place
    }

    async fn write(&self, numbers: std::ops::Range<usize>) {
        let session = SessionUpsert {
            key: "one".to_owned(),
            agent: "demo".to_owned(),
            parent_key: None,
            facts: SessionFacts::default(),
            new_id: SessionId::parse("s-one").unwrap(),
        };
        let message = |number: usize| MessageUpsert {
            session_key: "one".to_owned(),
            draft: Draft::text(
                MessageId::parse(format!("m{number}")).unwrap(),
                Role::Assistant,
                "bot",
                format!("Message {number}: {:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                NOW,
            ),
            display: Display::Shown,
            records: Vec::new(),
            search_text: None,
            remembered: false,
            files: Vec::new(),
            marks: CopyMarks::default(),
        };
        let messages = numbers.map(message).collect();
        let batch = Batch { sessions: vec![session], messages, now: NOW, ..Batch::default() };
        self.store.workspace("default").write_batch(batch).await.unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    async fn back_up(&self, to: &str, at: &str, keep: Option<&Keep>) -> Result<Made, BackupError> {
        let order = Order {
            database: &Database::Sqlite(self.path("data/verbatim.db")),
            data_dir: &self.path("data"),
            files: &["notices.json", "none.json"],
            place: &self.path(to),
            keep,
            version: "0.2.0",
            now: at.parse::<Timestamp>().unwrap(),
        };
        make(order, &|_| ()).await
    }

    async fn restore(&self, from: &str, name: Option<&str>, to: &str) -> Result<u64, BackupError> {
        let data = self.path(to);
        let database = Database::Sqlite(data.join("verbatim.db"));
        let filled = restore(&self.path(from), name, &database, &data, &|_| ()).await?;
        let store = Store::open(&database).await?;
        assert_eq!(store.faults().await?, Vec::<String>::new());
        store.close().await;
        Ok(filled.rows["message"])
    }

    /// Returns the result of a check for each backup.
    fn said(&self, place: &str) -> Vec<String> {
        match check(&self.path(place), None, &|_| ()) {
            Err(error) => vec![self.masked(&error)],
            Ok(checked) => checked
                .iter()
                .map(|it| match &it.manifest {
                    Ok(manifest) => format!("{}: {} messages", it.name, manifest.rows("message")),
                    Err(error) => format!("{}: {}", it.name, self.masked(error)),
                })
                .collect(),
        }
    }

    fn masked(&self, error: &BackupError) -> String {
        error.to_string().replace(&*self.dir.path().to_string_lossy(), "DIR")
    }
}

const FIRST: &str = "2026-11-01T03:00:00Z";
const SECOND: &str = "2026-11-02T03:00:00Z";

#[tokio::test]
async fn each_backup_is_restored_as_it_was_made() {
    let place = Place::new(500).await;
    std::fs::write(place.path("data/notices.json"), "{}").unwrap();
    let first = place.back_up("backups", FIRST, None).await.unwrap();
    assert_eq!((&*first.name, first.manifest.rows("message")), ("2026-11-01T030000Z", 500));
    assert_eq!(first.manifest.files.len(), 1);
    place.write(500..501).await;
    let second = place.back_up("backups", SECOND, None).await.unwrap();
    assert!(second.new_parts < first.new_parts, "{} of {}", second.new_parts, first.new_parts);
    let again = place.back_up("backups", SECOND, None).await.unwrap();
    assert_eq!((&*again.name, again.new_parts), ("2026-11-02T030000Z-2", 0));
    assert_eq!(
        place.said("backups"),
        ["2026-11-01T030000Z: 500 messages", "2026-11-02T030000Z: 501 messages", "2026-11-02T030000Z-2: 501 messages"]
    );
    assert_eq!(place.restore("backups", None, "newest").await.unwrap(), 501);
    assert_eq!(place.restore("backups", Some("2026-11-01T030000Z"), "oldest").await.unwrap(), 500);
    assert_eq!(std::fs::read_to_string(place.path("newest/notices.json")).unwrap(), "{}");
    let file = place.back_up("one.tar", FIRST, None).await.unwrap();
    assert_eq!(file.manifest.rows("message"), 501);
    assert_eq!(place.said("one.tar"), ["2026-11-01T030000Z: 501 messages"]);
    assert_eq!(place.restore("one.tar", None, "from-file").await.unwrap(), 501);
    // A restored store is backed up as the same parts.
    let order = Order {
        database: &Database::Sqlite(place.path("newest/verbatim.db")),
        data_dir: &place.path("newest"),
        files: &[],
        place: &place.path("backups"),
        keep: None,
        version: "0.2.0",
        now: SECOND.parse().unwrap(),
    };
    let restored = make(order, &|_| ()).await.unwrap();
    let tables = |made: &Made| {
        // The note that the index of words is current isn't restored: it is written anew.
        made.manifest.tables.iter().filter(|table| table.name != "meta").cloned().collect::<Vec<_>>()
    };
    assert_eq!(tables(&restored), tables(&again));
}

/// All files of a backup but its lock.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("lock") {
            files.extend(self::files(&path));
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn a_bit_that_changed_anywhere_is_noticed_and_its_file_named() {
    let place = Place::new(300).await;
    for (made, flips) in [("backups", 1000), ("one.tar", 1000)] {
        place.back_up(made, FIRST, None).await.unwrap();
        let whole = place.said(made);
        let files = files(&place.path(made));
        let contents: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        let all: usize = contents.iter().map(Vec::len).sum();
        for flip in 0..flips {
            let mut at = flip * all / flips;
            let number = contents.iter().position(|content| {
                let is_here = at < content.len();
                at -= if is_here { 0 } else { content.len() };
                is_here
            });
            let (file, content) = (&files[number.unwrap()], &contents[number.unwrap()]);
            let mut changed = content.clone();
            changed[at] ^= 1 << (flip % 8);
            std::fs::write(file, &changed).unwrap();
            let said = place.said(made);
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(said.len() == 1 && said[0].contains(name), "bit {} of byte {at} of {name}: {said:?}", flip % 8);
            std::fs::write(file, content).unwrap();
        }
        assert_eq!(place.said(made), whole);
    }
}

#[tokio::test]
async fn a_file_that_is_cut_or_gone_is_named_and_nothing_is_restored() {
    let place = Place::new(300).await;
    for made in ["backups", "one.tar"] {
        place.back_up(made, FIRST, None).await.unwrap();
        for file in files(&place.path(made)) {
            let content = std::fs::read(&file).unwrap();
            let name = file.file_name().unwrap().to_str().unwrap();
            for keep in [0, content.len() / 2, content.len() - 1] {
                std::fs::write(&file, &content[..keep]).unwrap();
                let said = place.said(made);
                assert!(said.len() == 1 && said[0].contains(name), "{keep} bytes of {name}: {said:?}");
            }
            std::fs::remove_file(&file).unwrap();
            let said = place.said(made);
            assert!(said[0].contains(name) || said[0].contains("backup"), "without {name}: {said:?}");
            let error = place.restore(made, None, "never").await.unwrap_err();
            assert!(!place.path("never/verbatim.db").exists(), "{error}");
            std::fs::write(&file, &content).unwrap();
        }
    }
    // A restore that began with a part missing goes on.
    assert_eq!(place.restore("backups", None, "never").await.unwrap(), 300);
}

#[tokio::test]
async fn what_cannot_be_is_refused_in_plain_words() {
    let place = Place::new(3).await;
    place.back_up("backups", FIRST, None).await.unwrap();
    place.back_up("one.tar", FIRST, None).await.unwrap();
    std::fs::create_dir(place.path("empty")).unwrap();
    std::fs::create_dir(place.path("photos")).unwrap();
    std::fs::write(place.path("photos/cat.jpg"), "x").unwrap();
    let refused = async |to: &str| place.masked(&place.back_up(to, FIRST, None).await.unwrap_err());
    assert_eq!(refused("data/backups").await, "DIR/data/backups is in the data directory");
    assert_eq!(refused("data").await, "DIR/data is in the data directory");
    assert_eq!(refused("one.tar").await, "DIR/one.tar exists already");
    assert_eq!(refused("photos").await, "DIR/photos isn't a backup of Verbatim");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("data"), place.path("link")).unwrap();
        assert_eq!(refused("link/backups").await, "DIR/link/backups is in the data directory");
    }
    let lock = std::fs::File::options().write(true).open(place.path("backups/lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(refused("backups").await, "another backup into DIR/backups is being made");
    drop(lock);
    for (from, name, expected) in [
        ("empty", None, "DIR/empty isn't a backup of Verbatim"),
        ("photos/cat.jpg", None, "DIR/photos/cat.jpg is damaged: an entry of it can't be read"),
        ("backups", Some("2025"), "DIR/backups has no backup 2025"),
    ] {
        assert_eq!(place.masked(&place.restore(from, name, "new").await.unwrap_err()), expected);
    }
    let used = place.masked(&place.restore("backups", None, "data").await.unwrap_err());
    assert_eq!(used, "DIR/data/verbatim.db isn't empty");
    assert_eq!(list(&place.path("backups")).unwrap().len(), 1);
}

/// Removes what no backup needs any more, and nothing else.
#[tokio::test]
async fn old_backups_go_by_the_rule() {
    let place = Place::new(10).await;
    let keep: Keep = "2d".parse().unwrap();
    place.back_up("backups", FIRST, None).await.unwrap();
    let before = files(&place.path("backups")).len();
    place.write(10..20).await;
    place.back_up("backups", SECOND, None).await.unwrap();
    // One that was cut left a part behind.
    let stray = place.path("backups/parts/00/00stray.begun");
    std::fs::create_dir_all(stray.parent().unwrap()).unwrap();
    std::fs::write(&stray, "x").unwrap();
    place.write(20..30).await;
    let made = place.back_up("backups", "2026-11-03T03:00:00Z", Some(&keep)).await.unwrap();
    assert_eq!(made.removed, ["2026-11-01T030000Z"]);
    assert!(!stray.exists());
    assert_eq!(place.said("backups"), ["2026-11-02T030000Z: 20 messages", "2026-11-03T030000Z: 30 messages"]);
    assert_eq!(place.restore("backups", Some("2026-11-02T030000Z"), "new").await.unwrap(), 20);
    let one: Keep = "1d".parse().unwrap();
    place.back_up("backups", "2026-11-03T04:00:00Z", Some(&one)).await.unwrap();
    assert_eq!(files(&place.path("backups")).len(), before);
    // One that can't be read stays, and so does all that it may need.
    std::fs::write(place.path("backups/backups/2026-11-01T000000Z"), "torn").unwrap();
    place.write(30..40).await;
    let made = place.back_up("backups", "2026-11-04T04:00:00Z", Some(&one)).await.unwrap();
    assert_eq!(made.removed, ["2026-11-03T040000Z"]);
    assert!(files(&place.path("backups")).len() > before + 1);
}

#[tokio::test]
async fn a_backup_of_a_newer_format_or_schema_names_its_file() {
    use sha2::{Digest as _, Sha256};
    let place = Place::new(3).await;
    let made = place.back_up("backups", FIRST, None).await.unwrap();
    let file = place.path("backups/backups").join(&made.name);
    let manifest = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut manifest = serde_json::to_value(&made.manifest).unwrap();
        change(&mut manifest);
        let mut packed = zstd::bulk::compress(&serde_json::to_vec(&manifest).unwrap(), 1).unwrap();
        let hash = Sha256::digest(&packed);
        packed.extend(hash);
        std::fs::write(&file, packed).unwrap();
    };
    manifest(&|it| it["format"] = 2.into());
    let expected =
        "DIR/backups/backups/2026-11-01T030000Z is of a newer version of Verbatim (format 2, this program knows 1)";
    assert_eq!(place.masked(&place.restore("backups", None, "new").await.unwrap_err()), expected);
    manifest(&|it| it["schema"] = 9999.into());
    let error = place.restore("backups", None, "new").await.unwrap_err();
    assert!(error.to_string().starts_with("the database is of a newer version (schema 9999,"), "{error}");
    assert!(error.advice().unwrap().starts_with("Update Verbatim"));
    // A chain that isn't that of the parts.
    manifest(&|it| it["tables"][0]["rows"] = 77.into());
    assert!(place.said("backups")[0].contains("2026-11-01T030000Z is damaged: table "), "{:?}", place.said("backups"));
}
