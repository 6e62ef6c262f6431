//! How a driver hands an open GPIO line to a guard: the file itself goes over their Unix socket (unix(7), SCM_RIGHTS),
//! together with a byte that says which one it is.

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::fs::File;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Sends `byte` with a file; true if it went.
pub fn send(stream: &UnixStream, byte: u8, file: &File) -> bool {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&files))
        && sendmsg(stream, &[IoSlice::new(&[byte])], &mut control, SendFlags::NOSIGNAL) == Ok(1)
}

/// What has come in, and a file that came with the last byte of it; nothing if the other end has gone. The kernel ends a
/// read after the byte that a file came with.
pub fn receive<'a>(stream: &UnixStream, into: &'a mut [u8]) -> Option<(&'a [u8], Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(stream, &mut [IoSliceMut::new(into)], &mut control, RecvFlags::CMSG_CLOEXEC);
    let count = match received {
        Ok(received) if received.bytes == 0 => return None,
        Ok(received) => received.bytes,
        Err(Errno::AGAIN | Errno::INTR) => 0,
        Err(_) => return None,
    };
    let files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let file = files.flatten().last();
    into.get(..count).map(|bytes| (bytes, file))
}
