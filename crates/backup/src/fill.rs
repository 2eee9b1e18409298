//! Fills an empty database, from a backup or from another database, and compares what it holds then.

use crate::manifest::Manifest;
use crate::packed::hex;
use crate::vault::Vault;
use crate::{BackupError, Count, Report};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use store::Database;
use store::transfer::{Chain, Part, Source, Target};

/// A database that was filled. Its index of words is still to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filled {
    /// Name of the backup.
    pub backup: Option<String>,
    /// Rows by table.
    pub rows: BTreeMap<String, u64>,
    /// A transfer that was cut went on.
    pub went_on: bool,
}

/// Rows of a table, and their chain in hex.
type Sums = BTreeMap<String, (u64, String)>;

/// Restores the newest backup, or the one named `name`, into an empty database, and the files of the data directory that
/// don't exist.
pub async fn restore(
    place: &Path,
    name: Option<&str>,
    to: &Database,
    data_dir: &Path,
    report: Report<'_>,
) -> Result<Filled, BackupError> {
    let vault = Vault::open(place)?;
    let (name, manifest) = vault.manifest(name)?;
    let mut target = Target::begin(to, manifest.schema).await?;
    let went_on = target.goes_on();
    let filled = pour(&vault, &manifest, &mut target, report).await;
    let rows = settle(target, filled, report).await?;
    for file in &manifest.files {
        let path = data_dir.join(&file.name);
        let is_name = Path::new(&file.name).components().count() == 1 && !file.name.starts_with('.');
        if is_name && !path.exists() {
            let content = vault.part(&file.part)?;
            store::private_file(&path).and_then(|mut file| file.write_all(&content)).map_err(BackupError::at(&path))?;
        }
    }
    Ok(Filled { backup: Some(name), rows, went_on })
}

/// Copies a database into an empty one, of either engine. Nobody may write to it meanwhile.
pub async fn move_to(from: &Database, to: &Database, report: Report<'_>) -> Result<Filled, BackupError> {
    let mut source = Source::open(from).await?;
    let mut target = Target::begin(to, source.schema).await?;
    let went_on = target.goes_on();
    let filled = copy(&mut source, &mut target, report).await;
    let rows = settle(target, filled, report).await?;
    source.close().await?;
    Ok(Filled { backup: None, rows, went_on })
}

#[derive(Default)]
struct Sum {
    rows: u64,
    chain: Chain,
}

impl Sum {
    fn add(&mut self, part: &Part) {
        self.rows += part.rows;
        self.chain.add(&part.sha256());
    }

    fn end(self) -> (u64, String) {
        (self.rows, hex(&self.chain.0))
    }
}

/// Writes all parts of a database. Returns what its tables hold.
async fn copy(source: &mut Source, target: &mut Target, report: Report<'_>) -> Result<Sums, BackupError> {
    let mut count = Count::new(report, Some(source.size));
    let mut sums = Sums::new();
    for table in source.tables.clone() {
        let mut sum = Sum::default();
        let take = async |part: Part| {
            count.add(&table.name, part.rows, part.bytes.len());
            sum.add(&part);
            target.write(&table.name, &table.columns, &part).await.map_err(BackupError::from)
        };
        source.read(&table, take).await?;
        sums.insert(table.name, sum.end());
    }
    Ok(sums)
}

/// Writes all parts of a backup. Returns what its tables should hold then.
async fn pour(
    vault: &Vault,
    manifest: &Manifest,
    target: &mut Target,
    report: Report<'_>,
) -> Result<Sums, BackupError> {
    let mut count = Count::new(report, Some(manifest.bytes()));
    let mut sums = Sums::new();
    for table in &manifest.tables {
        for name in &table.parts {
            let content = vault.part(name)?;
            let part = Part { rows: store::transfer::count(&content, table.columns.len())?, bytes: content };
            count.add(&table.name, part.rows, part.bytes.len());
            target.write(&table.name, &table.columns, &part).await?;
        }
        sums.insert(table.name.clone(), (table.rows, table.chain.clone()));
    }
    Ok(sums)
}

/// Compares what the database holds with what it should, and puts it in use. It stays as it is where anything failed.
async fn settle(
    target: Target,
    filled: Result<Sums, BackupError>,
    report: Report<'_>,
) -> Result<BTreeMap<String, u64>, BackupError> {
    let compared = match filled {
        Ok(sums) => compare(&target, &sums, report).await.map(|()| sums),
        Err(error) => Err(error),
    };
    match compared {
        Ok(sums) => {
            target.finish().await?;
            Ok(sums.into_iter().map(|(table, (rows, _))| (table, rows)).collect())
        }
        Err(error) => {
            target.close().await;
            Err(error)
        }
    }
}

async fn compare(target: &Target, sums: &Sums, report: Report<'_>) -> Result<(), BackupError> {
    let mut source = target.source().await?;
    let mut count = Count::new(report, None);
    for table in source.tables.clone() {
        let mut sum = Sum::default();
        let take = async |part: Part| {
            count.add("compared", part.rows, part.bytes.len());
            sum.add(&part);
            Ok::<_, BackupError>(())
        };
        source.read(&table, take).await?;
        // A table that the other one doesn't have is empty.
        let expected = sums.get(&table.name).cloned().unwrap_or_else(|| Sum::default().end());
        if sum.end() != expected {
            return Err(BackupError::Differs(table.name));
        }
    }
    Ok(source.close().await?)
}
