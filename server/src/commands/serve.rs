//! `verbatim serve`: the main job.

use super::text::one_line;
use super::{folders, print};
use crate::authority::Authority;
use crate::cli::Durability;
use crate::cli::Serve;
use crate::reach::Reach;
use crate::signals::Signals;
use crate::take_over::{self, Claimed, Offer};
use crate::{data_dir, door, http, listening, notice_file, permissions, price_file, scheduled_backup, type_files};
use anyhow::{Context as _, Result};
use api::projects::UnreadFolder;
use data_dir::Credential;
use drivers::environment::Environment;
use http::{Limits, Stopping};
use hub::notices::Notices;
use hub::{AgentFolder, Consent, Hub, Root, Settings, discover};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::{DataDirLock, Database, LockError};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub async fn run(mut args: Serve) -> Result<()> {
    // The example keeps to itself: its data goes with it, unless a folder for it is named.
    let demo_dir = if args.demo && !args.data_dir_typed {
        Some(permissions::temporary_dir().context("no temporary folder")?)
    } else {
        None
    };
    let dir = match &demo_dir {
        Some(dir) => dir.path().to_owned(),
        None => data_dir::path(&args.data)?,
    };
    let mut reach = Reach::of(&args.public, &args.sign_on, &dir)?;
    reach.check(args.listen)?;
    // One that was passed can listen elsewhere than `--listen` says.
    if let Some(passed) = &args.passed {
        reach.check(passed.local_addr()?)?;
    }
    let database =
        if args.demo { Database::Sqlite(dir.join(data_dir::DATABASE)) } else { data_dir::database(&args.data, &dir)? };
    reach.authority = Authority::of(&dir).der().map(Arc::from);
    // Before a running server gives up its place for this one.
    let (prices, notices) = (price_file::read(&dir)?, notice_file::read(&dir)?);
    let (routing, embedder) = (args.messages.routing(), args.messages.embedder());
    let (routing, embedder) = (routing.map_err(anyhow::Error::msg)?, embedder.map_err(anyhow::Error::msg)?);
    let stopping = Stopping::default();
    let Place { lock, listener, key } = place(&mut args, &dir, &database, &stopping).await?;
    data_dir::remove_launch_page(&dir);
    permissions::tighten(&dir);
    let address = listener.local_addr().context("the listener has no address")?;
    // So can that of a server which gives up its place.
    reach.check(address)?;
    let local = local_url(address);
    let url = reach.url.as_ref().map_or_else(|| local.clone(), ToString::to_string);
    let tuning = args.tuning();
    if args.durability != Durability::Full {
        tracing::warn!("a power failure can lose accepted writes; `--durability full` is the default");
    }
    let store = door::open_store(&database, tuning).await?;
    let shutdown = CancellationToken::new();
    // From here on: a signal that came before would leave the credential on the disk.
    let (mut signals, stops, left) = (Signals::hear()?, stopping.clone(), dir.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = signals.next() => stops.ask(),
            () = stops.asked() => {}
        }
        end_in_time(left, stops);
    });
    let provider = reach.provider.as_ref().map(|provider| provider.name().to_owned());
    let settings = Settings { routing, embedder, prices, provider, ..settings(&args, &dir, &database, url)? };
    let hub = Hub::new(store.clone(), settings, shutdown.clone()).await.map_err(hub::problem)?;
    hub::driving::mark_interrupted(&hub).await.map_err(hub::problem)?;
    type_files::read(&hub, &dir);
    hub.state::<Notices>().configure(notices);
    if args.demo {
        hub::demo::load(&hub).await?;
    }
    let key = key.map_or_else(hub::account::login::secret, Ok)?;
    let credential = Credential { url: local, key: key.clone() };
    // That of the server before stays in place: commands look for it at any moment.
    if data_dir::credential(&dir).as_ref() != Some(&credential) {
        data_dir::write_credential(&dir, &credential)?;
    }
    data_dir::note_elsewhere(&dir);
    let offered = tokio::spawn(Offer::new(&dir, &listener, key.clone(), hub.clone(), stopping.clone())?.run());
    let url = hub.launch_url()?;
    print(&format!("Verbatim is at {url}\n{}", unread(&hub.settings.unread)))?;
    if args.open {
        open_browser(&dir, &url, shutdown.clone());
    }
    hub.spawn_workers(&dir, Duration::from_secs(args.check_every));
    tokio::spawn(scheduled_backup::work(hub.clone(), dir.clone(), database));
    if args.demo {
        tokio::spawn(hub::demo::answer(hub.clone()));
    }
    hub.tell_start().await;
    let limits =
        Limits { connections: data_dir::descriptors(args.connections), posts_per_second: args.posts_per_second };
    keep_certificate(&reach, &args, &dir, &hub);
    let router = http::router(&hub, &key, address, &reach, args.build, limits);
    http::serve(listener, router, limits.connections, reach, stopping.clone(), shutdown).await;
    hub.join().await;
    hub.write_refusals().await;
    if !stopping.is_taken_over() {
        hub.tell_stop().await;
    }
    clean_up(&dir, &stopping);
    store.close().await;
    // Its only failure is a runtime that ends.
    if let Ok(Some(offered)) = offered.await {
        offered.release(&lock).await;
    }
    drop(lock);
    Ok(())
}

/// Keeps the certificate as its files are, and renews it if this program can.
fn keep_certificate(reach: &Reach, args: &Serve, dir: &Path, hub: &Hub) {
    let Some(tls) = reach.tls.clone() else { return };
    tokio::spawn(tls.clone().keep_fresh(hub.shutdown.clone()));
    if let Some(acme) = reach.acme.clone() {
        tokio::spawn(acme.work(tls, hub.clone()));
    }
    let authority = Authority::of(dir);
    if args.public.tls_cert.as_deref().is_some_and(|chain| same_file(chain, &authority.chain())) {
        tokio::spawn(authority.keep_valid(hub.clone()));
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// Where this machine's commands reach the server.
fn local_url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

/// The data directory and the port of a server.
struct Place {
    lock: DataDirLock,
    listener: TcpListener,
    /// That of this machine's credential, from the server before.
    key: Option<String>,
}

/// Takes what no other process has, or what a running server gives.
async fn place(args: &mut Serve, dir: &Path, database: &Database, stopping: &Stopping) -> Result<Place> {
    let listener = match DataDirLock::acquire(dir) {
        Err(LockError::Held { holder, .. }) if args.take_over => {
            let Claimed { lock, listener, key } = take_over::claim(args, dir, &holder, database).await?;
            return Ok(Place { lock, listener: TcpListener::from_std(listener)?, key: Some(key) });
        }
        Err(error) => return Err(unavailable(dir, error)),
        Ok(lock) => (lock, args.passed.take()),
    };
    let (lock, listener) = match listener {
        (lock, Some(passed)) => {
            stopping.set_port_goes_on();
            let address = passed.local_addr()?;
            if args.listen.port() != 0 && args.listen != address {
                tracing::warn!(
                    "listening on {address}, as systemd does, and not on {}: `verbatim service install` changes that",
                    args.listen
                );
            }
            (lock, TcpListener::from_std(passed)?)
        }
        (lock, None) => (lock, listening::bind(args.listen).await?),
    };
    Ok(Place { lock, listener, key: None })
}

/// The settings of the hub, by the arguments and by what lies in the data directory.
fn settings(args: &Serve, dir: &Path, database: &Database, base_url: String) -> Result<Settings> {
    let transcripts = transcripts(dir)?;
    let mut roots = roots(args);
    roots.extend(agents::agent("acp").map(|acp| discover::root_of(acp, agents::LOGS, &transcripts, Consent::All)));
    let machines = dir.join(data_dir::MACHINES);
    data_dir::create(&machines).with_context(|| format!("{} can't be made", machines.display()))?;
    let machines = machines.canonicalize().with_context(|| format!("{} can't be read", machines.display()))?;
    roots.extend(discover::roots_of_machines(&machines));
    Ok(Settings {
        roots,
        unread: if looks(args) { folders::unreadable().collect() } else { Vec::new() },
        agents: Environment::of(std::env::vars_os(), &args.agent_env),
        transcripts: Some(transcripts),
        machines: Some(machines),
        server: matches!(database, Database::Postgres(_)).then(|| data_dir::server_id(dir)).transpose()?,
        channel_hosts: args.channel_host.clone(),
        base_url,
        viewers_export: args.viewers_export,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Settings::default()
    })
}

/// How long the program takes to end at most, once it is asked to.
const END: Duration = Duration::from_millis(4_500);
/// How much longer where clients go on at another process.
const GIVING_BACK: Duration = Duration::from_millis(1_500);

/// Ends the process whatever doesn't, as a read of a file system that no longer answers, or a write of a long import.
/// What was committed is safe, and the next start goes on from there. A thread of its own, so that nothing can hold it
/// up.
fn end_in_time(dir: PathBuf, stopping: Stopping) {
    std::thread::spawn(move || {
        std::thread::sleep(if stopping.port_goes_on() { END + GIVING_BACK } else { END });
        clean_up(&dir, &stopping);
        tracing::warn!("something takes too long to end, and isn't waited for");
        std::process::exit(0);
    });
}

/// Removes what leads to a server that ends. It leads to the one that takes over, too.
fn clean_up(dir: &Path, stopping: &Stopping) {
    data_dir::remove_launch_page(dir);
    if !stopping.is_taken_over() {
        take_over::remove_socket(dir);
        data_dir::forget_elsewhere(dir);
        data_dir::remove_credential(dir);
    }
}

fn unavailable(dir: &Path, error: LockError) -> anyhow::Error {
    match error {
        LockError::Held { holder, .. } => anyhow::anyhow!(
            "{} is in use by process {holder}\n`verbatim open` prints a link to the running server; `--take-over` replaces it, and \
             no request fails; `--data-dir` names another folder",
            dir.display()
        ),
        LockError::Io { error, .. } => {
            anyhow::anyhow!("{} can't be used: {error}\nName another folder with `--data-dir`", dir.display())
        }
    }
}

/// Makes the folder of transcripts of agents that write none themselves, which its owner alone can read.
fn transcripts(dir: &Path) -> Result<PathBuf> {
    let folder = dir.join(data_dir::TRANSCRIPTS);
    data_dir::create(&folder).with_context(|| format!("{} can't be made", folder.display()))?;
    Ok(folder)
}

/// Whether folders of agents are looked for.
fn looks(args: &Serve) -> bool {
    !args.demo && !args.no_discover
}

/// Lines about the files of known agents that aren't read.
fn unread(folders: &[AgentFolder]) -> String {
    let line = |unread: UnreadFolder| {
        let size = app::figures::bytes(u64::try_from(unread.bytes).unwrap_or(0));
        let files = app::figures::counted(unread.files, "file");
        format!("Not read yet: {}, {files} of {size} in {}\n", unread.what, one_line(&unread.path))
    };
    folders.iter().filter_map(discover::unread_of).map(line).collect()
}

/// The folders to look into. A folder that the owner named is read; one that was found waits for consent.
fn roots(args: &Serve) -> Vec<Root> {
    let named = if args.yes { Consent::All } else { Consent::Given };
    let mut roots: Vec<Root> = args.claude_dir.iter().map(|dir| discover::root(dir, named)).collect();
    if !looks(args) {
        return roots;
    }
    let consent = if args.yes { Consent::All } else { Consent::Asked };
    for root in folders::readable().map(|here| discover::root_of(here.agent, here.folder, &here.path, consent)) {
        if !roots.iter().any(|named| named.path == root.path) {
            roots.push(root);
        }
    }
    roots
}

/// How long a browser may take to read its page.
const LAUNCH: Duration = Duration::from_mins(1);

/// Best effort: the link is printed anyway. The browser is given a file and not the link, since every program of this
/// machine sees the arguments of the others.
fn open_browser(dir: &Path, url: &str, shutdown: CancellationToken) {
    let page = match data_dir::write_launch_page(dir, url) {
        Ok(page) => page,
        Err(error) => return tracing::warn!("the browser isn't opened: {error:#}"),
    };
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let _ = std::process::Command::new(program)
        .arg(page)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    let dir = dir.to_owned();
    tokio::spawn(async move {
        shutdown.run_until_cancelled(tokio::time::sleep(LAUNCH)).await;
        data_dir::remove_launch_page(&dir);
    });
}
