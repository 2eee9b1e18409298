//! Messages between two servers: a line of JSON each, some with a file descriptor.

use anyhow::{Context as _, Result, bail};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use tokio::io::Interest;
use tokio::net::UnixStream;

/// Bytes of a message.
const MOST: usize = 16 * 1024;

/// A message of either side. Fields that a version doesn't know are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Message {
    /// The new server begins: the key of this machine's credential, and the newest schema that it knows.
    Hello { key: String, schema: i64 },
    /// The running server refuses. Nothing has changed.
    Refused { reason: String },
    /// The running server gives its listening socket.
    Port,
    /// The new server is ready. Agents at work are waited for.
    Go { agents_wait_seconds: u64 },
    /// The running server waits for so many agents.
    Waiting { agents: usize },
    /// The running server stops, and ends so many agents at work.
    Draining { agents: usize },
    /// The running server has closed the store, and gives the lock of the data directory.
    Released,
}

/// One side of the connection.
#[derive(Debug)]
pub struct Wire {
    stream: UnixStream,
    received: Vec<u8>,
    descriptor: Option<OwnedFd>,
}

impl Wire {
    pub fn new(stream: UnixStream) -> Self {
        Self { stream, received: Vec::new(), descriptor: None }
    }

    /// Returns true if the other side is a process of the same user.
    pub fn is_of_same_user(&self) -> bool {
        self.stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
    }

    /// Sends a message, with a descriptor if there is one.
    pub async fn send(&self, message: &Message, descriptor: Option<BorrowedFd<'_>>) -> Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut descriptors: Vec<BorrowedFd<'_>> = descriptor.into_iter().collect();
        let mut sent = 0;
        while let Some(rest) = line.get(sent..).filter(|rest| !rest.is_empty()) {
            sent += self.stream.async_io(Interest::WRITABLE, || write(&self.stream, rest, &descriptors)).await?;
            descriptors.clear();
        }
        Ok(())
    }

    /// Returns the next message; None once the other side has ended.
    pub async fn receive(&mut self) -> Result<Option<Message>> {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                return serde_json::from_slice(&line).context("a message can't be read").map(Some);
            }
            if self.received.len() >= MOST {
                bail!("a message is too long");
            }
            let mut bytes = [0; 1024];
            let read = self.stream.async_io(Interest::READABLE, || read(&self.stream, &mut bytes)).await;
            let (count, descriptor) = match read {
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return Ok(None),
                read => read?,
            };
            if count == 0 {
                return Ok(None);
            }
            self.received.extend(bytes.iter().take(count));
            self.descriptor = descriptor.or(self.descriptor.take());
        }
    }

    /// Returns the descriptor that came with the last messages.
    pub fn take_descriptor(&mut self) -> Result<OwnedFd> {
        self.descriptor.take().context("a message came without its descriptor")
    }
}

fn write(stream: &UnixStream, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> std::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    // Without `SIGPIPE`, which Rust's programs ignore.
    Ok(sendmsg(stream.as_fd(), &[IoSlice::new(bytes)], &mut control, SendFlags::empty())?)
}

fn read(stream: &UnixStream, bytes: &mut [u8]) -> std::io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(stream.as_fd(), &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::empty())?;
    let mut found = None;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            for descriptor in descriptors {
                // Agents that are started later don't get it.
                fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
                found = Some(descriptor);
            }
        }
    }
    Ok((received.bytes, found))
}
