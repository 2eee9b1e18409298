//! `verbatim machine`: machines that send their agents' sessions here.

use super::text::one_line;
use super::{minute, note, print, print_json};
use crate::cli::{Machine, MachineAdd, MachineList, MachineNamed, MachineRename};
use crate::data_dir;
use crate::door::Door;
use anyhow::{Result, bail};
use api::machines::{EditMachine, MachineInfo, MachinePath, NewMachine};
use api::{Client, Nothing};

pub async fn run(args: Machine) -> Result<()> {
    match args {
        Machine::Add(args) => add(args).await,
        Machine::List(args) => list(args).await,
        Machine::Rename(args) => rename(args).await,
        Machine::Remove(args) => remove(args).await,
    }
}

async fn add(args: MachineAdd) -> Result<()> {
    if let Some(file) = args.key_file.as_ref().filter(|file| file.exists()) {
        bail!("{} exists already\nName a new file with `--key-file`", file.display());
    }
    let door = Door::find_or_make(&args.data).await?;
    let added = door.client.add_machine(Nothing {}, NewMachine { name: args.name }).await;
    door.close().await;
    let added = added?;
    let name = one_line(&added.machine.name);
    let Some(file) = args.key_file else {
        // The key alone goes into a variable.
        note(&format!("Key of {name}, only shown once, because only a hash is stored"));
        return print(&format!("{}\n", added.key));
    };
    data_dir::write_private(&file, format!("{}\n", added.key).as_bytes())?;
    print(&format!(
        "Added {name}. Copy {} to it, and run there: verbatim forward --to URL --key FILE\n",
        file.display()
    ))
}

async fn list(args: MachineList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let machines = door.client.list_machines(Nothing {}, Nothing {}).await;
    door.close().await;
    let machines = machines?.machines;
    if args.json {
        return print_json(&machines);
    }
    if machines.is_empty() {
        return print("No machines yet. `verbatim machine add NAME` adds one\n");
    }
    print(&machines.iter().map(line).collect::<String>())
}

/// `a1b2c3  online  sessions 12  linux x86_64, 0.1.0  laptop`.
fn line(machine: &MachineInfo) -> String {
    let seen = match machine.last_seen_at {
        _ if machine.online => "online".to_owned(),
        Some(at) => format!("offline since {}", minute(at)),
        None => "not heard of yet".to_owned(),
    };
    let says = [&machine.platform, &machine.version].into_iter().flatten().map(|text| one_line(text));
    let says = says.collect::<Vec<_>>().join(", ");
    let says = if says.is_empty() { says } else { format!("{says}  ") };
    format!("{}  {seen}  sessions {}  {says}{}\n", machine.id, machine.sessions, one_line(&machine.name))
}

async fn rename(args: MachineRename) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let renamed = async {
        let path = MachinePath { machine: find(&door.client, &args.name).await?.id };
        door.client.edit_machine(path, EditMachine { name: args.new.clone() }).await?;
        Ok::<_, anyhow::Error>(())
    };
    let renamed = renamed.await;
    door.close().await;
    renamed?;
    print(&format!("Renamed to {}\n", one_line(&args.new)))
}

async fn remove(args: MachineNamed) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let removed = async {
        let machine = find(&door.client, &args.name).await?;
        door.client.remove_machine(MachinePath { machine: machine.id.clone() }, Nothing {}).await?;
        Ok::<_, anyhow::Error>(machine)
    };
    let removed = removed.await;
    door.close().await;
    print(&format!("{} is removed. Its sessions stay\n", one_line(&removed?.name)))
}

/// A machine by id, or by name however it is written.
async fn find(client: &Client, name: &str) -> Result<MachineInfo> {
    let machines = client.list_machines(Nothing {}, Nothing {}).await?.machines;
    let key = name.to_lowercase();
    let found = machines.iter().find(|machine| machine.id == name);
    match found.or_else(|| machines.iter().find(|machine| machine.name.to_lowercase() == key)) {
        Some(machine) => Ok(machine.clone()),
        None => bail!("No machine is called `{}`. `verbatim machine list` lists them", one_line(name)),
    }
}
