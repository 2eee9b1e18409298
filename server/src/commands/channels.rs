//! `verbatim channels`: how channels are, and what becomes of what they refused.

use super::text::one_line;
use super::{minute, print, print_json};
use crate::cli::{ChannelNamed, Channels as Args, ChannelsList};
use crate::door::Door;
use anyhow::{Result, bail};
use api::channels::{
    Channel, ChannelDelivery, ChannelPath, Channels, DeliveriesQuery, DeliveryAction, DeliveryState, SettleDeliveries,
};
use api::{Nothing, Problem};

/// Refused messages that are listed at most: as many as the API gives at once.
const MOST: u32 = 500;

pub async fn run(args: Args) -> Result<()> {
    match args {
        Args::List(args) => list(args).await,
        Args::Refused(named) => refused(&named).await,
        Args::Test(named) => test(&named).await,
        Args::Retry(named) => settle(&named, DeliveryAction::Retry, "to be sent again").await,
        Args::Clear(named) => settle(&named, DeliveryAction::Clear, "given up").await,
    }
}

async fn list(args: ChannelsList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let all = door.client.list_channels(Nothing {}, Nothing {}).await;
    door.close().await;
    let Channels { channels, .. } = all?;
    if args.json {
        return print_json(&channels);
    }
    if channels.is_empty() {
        return print("No channels yet. Add one in the settings, under \"Channels\"\n");
    }
    print(&channels.iter().map(line).collect::<String>())
}

async fn refused(named: &ChannelNamed) -> Result<()> {
    let asked = DeliveriesQuery { state: Some(DeliveryState::Dead), limit: Some(MOST) };
    let (_, found) = of(named, async |door, path| door.client.list_deliveries(path, asked).await).await?;
    let refused = found.deliveries;
    if named.json {
        return print_json(&refused);
    }
    print(&refused.iter().map(refusal).collect::<String>())
}

async fn test(named: &ChannelNamed) -> Result<()> {
    let (channel, _) = of(named, async |door, path| door.client.test_channel(path, Nothing {}).await).await?;
    if named.json {
        return print_json(&channel);
    }
    print(&format!("{} accepted the test message\n", one_line(&channel.name)))
}

async fn settle(named: &ChannelNamed, action: DeliveryAction, done: &str) -> Result<()> {
    let input = SettleDeliveries { action };
    let (_, settled) = of(named, async |door, path| door.client.settle_deliveries(path, input).await).await?;
    if named.json {
        return print_json(&settled);
    }
    let messages = if settled.deliveries == 1 { "message" } else { "messages" };
    print(&format!("{} {messages} {done}\n", settled.deliveries))
}

/// Finds the channel and asks about it.
async fn of<T>(
    named: &ChannelNamed,
    ask: impl AsyncFnOnce(&Door, ChannelPath) -> Result<T, Problem>,
) -> Result<(Channel, T)> {
    let door = Door::find(&named.data).await?;
    let answer = async {
        let all = door.client.list_channels(Nothing {}, Nothing {}).await?.channels;
        let channel = find(all, &named.channel)?;
        let answer = ask(&door, ChannelPath { channel: channel.id.clone() }).await?;
        Ok::<_, anyhow::Error>((channel, answer))
    };
    let answer = answer.await;
    door.close().await;
    answer
}

/// The one with this id or name, else the one whose id begins so.
fn find(channels: Vec<Channel>, wanted: &str) -> Result<Channel> {
    let exact = |channel: &Channel| channel.id == wanted || channel.name == wanted;
    let begins = |channel: &Channel| !wanted.is_empty() && channel.id.starts_with(wanted);
    let (exact, others): (Vec<_>, Vec<_>) = channels.into_iter().partition(exact);
    let fits = if exact.is_empty() { others.into_iter().filter(begins).collect() } else { exact };
    let mut fits = fits.into_iter();
    match (fits.next(), fits.next()) {
        (Some(channel), None) => Ok(channel),
        (None, _) => bail!("There is no channel `{}`\n`verbatim channels list` lists them", one_line(wanted)),
        (Some(_), Some(_)) => bail!("Several channels match `{}`\nUse more characters of the id", one_line(wanted)),
    }
}

/// `8c1f0a2b3d  webhook  Hooks  every session  3 waiting  1 refused  sent 2026-11-27 09:00`.
fn line(channel: &Channel) -> String {
    let sessions = channel.sessions.iter().filter(|session| session.bound).count();
    let shows = match (channel.every_session, sessions) {
        (true, _) => "every session".to_owned(),
        (false, 1) => "1 session".to_owned(),
        (false, many) => format!("{many} sessions"),
    };
    let parts = [
        channel.paused_at.map(|_| "paused".to_owned()),
        (channel.waiting > 0).then(|| format!("{} waiting", channel.waiting)),
        (channel.dead > 0).then(|| format!("{} refused", channel.dead)),
        Some(channel.sent_at.map_or_else(|| "nothing sent yet".to_owned(), |at| format!("sent {}", minute(at)))),
        channel.error.as_deref().map(|error| format!("failing: {}", one_line(error))),
    ];
    let parts: String = parts.into_iter().flatten().map(|part| format!("  {part}")).collect();
    format!("{}  {}  {}  {shows}{parts}\n", channel.id, channel.kind, one_line(&channel.name))
}

/// `2026-11-27 09:00  s1  3  410 Gone  Claude: done`.
fn refusal(delivery: &ChannelDelivery) -> String {
    let (error, text) = (delivery.error.as_deref().unwrap_or_default(), delivery.text.as_deref().unwrap_or_default());
    let (at, session, seq) = (minute(delivery.queued_at), &delivery.session, delivery.seq);
    format!("{at}  {session}  {seq}  {}  {}\n", one_line(error), one_line(text))
}
