//! One client: what it sends is read on its own, whatever becomes of what is sent to it, so a stop comes through a full
//! socket.

use super::shared::Shared;
use super::wire::Wire;
use crate::heard::seconds;
use crate::input::Input;
use crate::intents::ClientId;
use crate::out::{Down, Out, States};
use crate::protocol::{Bad, Close, Incoming, Pong, parse, text};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt, stream};
use hexapod_ros::bounds::Burst;
use hexapod_ros::monotonic_now;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Bytes, Message};

/// A client's socket.
type Socket = WebSocketStream<Wire>;

/// A client that says nothing for so long has gone.
const SILENCE: Duration = Duration::from_secs(3);
/// What has come is read within so long of looking.
const LATE: Duration = Duration::from_millis(50);
/// Time for `hello`.
const HELLO_TIME: Duration = Duration::from_secs(5);
/// A client that takes nothing for so long is dropped.
const SEND_TIMEOUT: Duration = Duration::from_secs(2);
/// A client that was dropped for that, and goes on talking, may stop the robot for so long.
const DEAF_TIME: Duration = Duration::from_secs(30);
/// Time for the last words to a client.
const GOODBYE: Duration = Duration::from_millis(500);
/// Messages of a client, at once and per second.
const MESSAGES: u32 = 60;
/// States are followed by a ping so often: well within the time for which what a client asks is fresh. All else that a client is sent
/// always is, so that whoever has heard of a stop can ask for something at once.
const PING_EVERY: Duration = Duration::from_millis(200);

/// Serves a client until it is gone.
pub(super) async fn serve(shared: &Shared, socket: Socket) {
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    let (sink, mut stream) = socket.split();
    let (out, waiting) = Out::new();
    // The bridge ends with the node, and with it this thread.
    let _ = shared.bridge.send(Input::Join { id, out: out.clone() });
    let mut writer = tokio::spawn(write(sink, waiting, shared.states.clone()));
    let mut reader = Reader {
        shared,
        id,
        out: &out,
        limit: Burst::new(MESSAGES, MESSAGES),
        is_known: false,
        // Its request came before.
        answered: monotonic_now(),
    };
    let end = tokio::select! {
        close = reader.read(&mut stream) => End::Said(close),
        () = out.is_dropped() => End::Deaf,
        _ = &mut writer => End::Deaf,
    };
    let _ = shared.bridge.send(Input::Leave { id });
    match end {
        End::Said(None) => {}
        End::Said(Some(close)) => {
            out.send(Down::Close(close));
            // What it has sent yet would else be answered by a reset, which overtakes the last words; and a stop may be in it.
            let _ = tokio::join!(timeout(GOODBYE, &mut writer), timeout(GOODBYE, reader.drain(&mut stream)));
        }
        End::Deaf => {
            writer.abort();
            let _ = timeout(DEAF_TIME, reader.hear_stops(&mut stream)).await;
        }
    }
    writer.abort();
}

/// Serves a connection that may do nothing but stop the robot, for a moment: a stop gets in where there is no room for
/// another client. What it asks with `ping` is answered once the stops before that are taken.
pub(super) async fn hear_stops(shared: &Shared, mut socket: Socket) {
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    let (by, mut limit) = (Instant::now() + HELLO_TIME, Burst::new(MESSAGES, MESSAGES));
    while let Ok(Some(Ok(message))) = timeout_at(by, socket.next()).await {
        let received = monotonic_now();
        let taken = match message {
            Message::Text(text) => parse(&text, Duration::ZERO),
            Message::Close(_) => return,
            _ => continue,
        };
        match taken {
            Ok(message @ Incoming::Stop(_)) => drop(shared.bridge.send(Input::Message { id, message, received })),
            Ok(Incoming::Ping(ping)) if limit.admit(received) => {
                let pong = Message::Text(text_of_pong(ping, received).into());
                if !matches!(timeout(SEND_TIMEOUT, socket.send(pong)).await, Ok(Ok(()))) {
                    return;
                }
            }
            _ => break,
        }
    }
    let _ = timeout(GOODBYE, socket.close(None)).await;
}

/// How a client's time has ended.
enum End {
    /// What it sent has ended, or is to be ended with this.
    Said(Option<Close>),
    /// It does not take what is sent to it.
    Deaf,
}

/// Sends what waits: the newest state first, which is there once for all clients. Ends when the client does not take it. Pings
/// carry the time at which they are sent: what comes after the answer to one was sent by a client that had all before it.
async fn write(mut sink: SplitSink<Socket, Message>, mut waiting: Receiver<Down>, mut states: States) {
    let (mut is_welcome, mut pinged) = (false, Duration::ZERO);
    loop {
        let down = tokio::select! {
            biased;
            changed = states.changed(), if is_welcome => {
                if changed.is_err() {
                    return;
                }
                Down::State(states.borrow_and_update().clone())
            }
            down = waiting.recv() => match down {
                Some(down) => down,
                None => return,
            },
        };
        let (message, is_state) = match down {
            Down::State(text) => (text, true),
            Down::Text(text) => (text, false),
            Down::Welcome(text) => {
                is_welcome = true;
                (text, false)
            }
            Down::Close(close) => {
                let frame = CloseFrame { code: close.code().into(), reason: close.reason().into() };
                let _ = timeout(SEND_TIMEOUT, sink.send(Message::Close(Some(frame)))).await;
                return;
            }
        };
        let now = monotonic_now();
        let ping = (!is_state || now >= pinged + PING_EVERY).then(|| Message::Ping(ping_at(now)));
        pinged = if ping.is_some() { now } else { pinged };
        let messages = [Some(Message::Text(message)), ping].into_iter().flatten().map(Ok);
        let sent = timeout(SEND_TIMEOUT, sink.send_all(&mut stream::iter(messages))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

/// The next message that comes by a time, or has come when this process gets round to looking: it may have stood still.
async fn next_by(
    by: Instant,
    stream: &mut SplitStream<Socket>,
) -> Result<Option<tungstenite::Result<Message>>, Elapsed> {
    match timeout_at(by, stream.next()).await {
        Err(_) => timeout(LATE, stream.next()).await,
        next => next,
    }
}

struct Reader<'a> {
    shared: &'a Shared,
    id: ClientId,
    out: &'a Out,
    limit: Burst,
    /// It has said hello.
    is_known: bool,
    /// Time of the newest ping that it has answered.
    answered: Duration,
}

impl Reader<'_> {
    /// Reads until the client is gone, or to be closed.
    async fn read(&mut self, stream: &mut SplitStream<Socket>) -> Option<Close> {
        let mut by = Instant::now() + HELLO_TIME;
        loop {
            let Ok(next) = next_by(by, stream).await else {
                return Some(if self.is_known { Close::Silent } else { Close::NoHello });
            };
            // A browser sends these for a page that hangs, too.
            let is_pong = matches!(next, Some(Ok(Message::Pong(_))));
            let taken = match next {
                None | Some(Ok(Message::Close(_))) => return None,
                Some(Err(error)) => return broken(&error),
                Some(Ok(Message::Text(text))) => self.take(&text),
                Some(Ok(Message::Binary(_))) => Err(Close::BadMessage),
                Some(Ok(Message::Pong(ping))) if self.answers(&ping) => Ok(()),
                // The library answers pings; a flood of them counts as one of messages.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => self.count(),
            };
            if let Err(close) = taken {
                return Some(close);
            }
            if self.is_known && !is_pong {
                by = Instant::now() + SILENCE;
            }
        }
    }

    /// Hears nothing but stops, until the client is silent or gone.
    async fn hear_stops(&mut self, stream: &mut SplitStream<Socket>) {
        while let Ok(Some(Ok(message))) = timeout(SILENCE, stream.next()).await {
            self.take_stop(&message);
            if self.count().is_err() {
                return;
            }
        }
    }

    /// Hears the stops in what a client that is closed has sent yet.
    async fn drain(&mut self, stream: &mut SplitStream<Socket>) {
        while let Some(Ok(message)) = stream.next().await {
            self.take_stop(&message);
        }
    }

    fn take_stop(&self, message: &Message) {
        if let Message::Text(text) = message
            && let Ok(message @ Incoming::Stop(_)) = parse(text, Duration::ZERO)
        {
            let _ = self.shared.bridge.send(Input::Message { id: self.id, message, received: monotonic_now() });
        }
    }

    /// Takes a pong. False if it answers no ping, or one answered before.
    fn answers(&mut self, ping: &[u8]) -> bool {
        let time = ping.try_into().map_or(Duration::ZERO, |nanos| Duration::from_nanos(u64::from_be_bytes(nanos)));
        let is_new = self.answered < time && time <= monotonic_now();
        self.answered = if is_new { time } else { self.answered };
        is_new
    }

    fn count(&mut self) -> Result<(), Close> {
        if self.limit.admit(monotonic_now()) { Ok(()) } else { Err(Close::TooMany) }
    }

    fn take(&mut self, text: &str) -> Result<(), Close> {
        let received = monotonic_now();
        let (counted, parsed) = (self.count(), parse(text, self.answered));
        // A stop is acted on in any case.
        if !matches!(parsed, Ok(Incoming::Stop(_))) {
            counted?;
        }
        let is_hello = matches!(parsed, Ok(Incoming::Hello { .. }));
        let input = match parsed {
            Ok(Incoming::Ping(id)) => {
                self.out.send(Down::Text(text_of_pong(id, received).into()));
                return Ok(());
            }
            Ok(message) if self.is_known || is_hello || matches!(message, Incoming::Stop(_)) => {
                Input::Message { id: self.id, message, received }
            }
            Ok(_) => return Err(Close::NoHello),
            Err(Bad::Value(of, ask, message)) => Input::Bad { id: self.id, of, ask, message },
            Err(Bad::Message(reason)) => {
                tracing::debug!("client {}: {reason}", self.id);
                return Err(Close::BadMessage);
            }
        };
        self.is_known |= is_hello;
        let _ = self.shared.bridge.send(input);
        counted
    }
}

/// A ping's payload.
fn ping_at(now: Duration) -> Bytes {
    Bytes::copy_from_slice(&u64::try_from(now.as_nanos()).unwrap_or(u64::MAX).to_be_bytes())
}

fn text_of_pong(id: u64, now: Duration) -> String {
    text(&Pong { id, t: seconds(now) })
}

/// What a client is sent whose frames do not hold.
fn broken(error: &tungstenite::Error) -> Option<Close> {
    match error {
        tungstenite::Error::Capacity(_) => Some(Close::TooLong),
        tungstenite::Error::Utf8(_) => Some(Close::BadText),
        tungstenite::Error::Protocol(_) => Some(Close::BadMessage),
        _ => None,
    }
}
