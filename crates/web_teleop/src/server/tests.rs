//! The server as clients and strangers meet it, without a robot: stops go to a bridge that the test reads.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::*;
use crate::description::SharedDescription;
use crate::elevation::SharedElevation;
use crate::gate::Gate;
use crate::input::Input;
use crate::intents::Stop;
use crate::protocol::Incoming;
use crate::recording::Recorder;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;
use tokio::sync::{Semaphore, watch};

const TOKEN: &str = "0123456789abcdef";
const WAIT: Duration = Duration::from_secs(5);

struct Scene {
    server: Server,
    bridge: Receiver<Input>,
    _states: watch::Sender<tokio_tungstenite::tungstenite::Utf8Bytes>,
}

impl Scene {
    /// A server on this computer with room for so many clients.
    fn with(is_open_at_home: bool, clients: usize) -> Self {
        let (bridge, inputs) = channel();
        let (reported, states) = watch::channel(Default::default());
        let shared_description = SharedDescription::default();
        shared_description.take_description(&format!("<robot name=\"r\">{}</robot>", "<link/>".repeat(1000)));
        let shared = Shared {
            gate: Gate::new("pi", vec![], Some(TOKEN.into())).open_at_home(is_open_at_home),
            bridge,
            states,
            shared_description,
            elevation: SharedElevation::default(),
            recorder: Recorder::new("/", 1 << 20),
            folder: Default::default(),
            room: Arc::new(Semaphore::new(clients)),
            stop_room: Arc::new(Semaphore::new(STOP_ROOM)),
            downloads: Arc::new(Semaphore::new(DOWNLOADS)),
            next_id: AtomicU64::new(1),
        };
        let server = Server::start(([127, 0, 0, 1], 0).into(), None, shared).unwrap();
        Self { server, bridge: inputs, _states: reported }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address).unwrap();
        stream.set_read_timeout(Some(WAIT)).unwrap();
        stream
    }

    fn own(&self) -> String {
        format!("localhost:{}", self.server.address.port())
    }

    /// Sends the head of a request, and returns its connection with the status and the head of the answer.
    fn ask(&self, path: &str, host: &str, more: &str) -> (TcpStream, u16, String) {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").unwrap();
        let (mut head, mut byte) = (vec![], [0]);
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).map_or(0, |status| status.parse().unwrap());
        (stream, status, head)
    }

    fn status(&self, path: &str, host: &str, more: &str) -> u16 {
        self.ask(path, host, more).1
    }

    /// A WebSocket with these subprotocols.
    fn socket(&self, protocols: &str) -> (TcpStream, u16) {
        let own = self.own();
        let (stream, status, _) = self.ask("/ws", &own, &upgrade(&format!("http://{own}"), protocols));
        (stream, status)
    }

    /// The next stop that the bridge gets.
    fn stop(&self) -> Option<Stop> {
        let by = Instant::now() + WAIT;
        while let Ok(input) = self.bridge.recv_timeout(by.saturating_duration_since(Instant::now())) {
            if let Input::Message { message: Incoming::Stop(stop), .. } = input {
                return Some(stop);
            }
        }
        None
    }
}

fn upgrade(origin: &str, protocols: &str) -> String {
    format!(
        "Origin: {origin}\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: {protocols}\r\n"
    )
}

/// Sends a text in a frame, masked with zeros.
fn say(stream: &mut TcpStream, text: &str) {
    let length = u8::try_from(text.len()).unwrap();
    stream.write_all(&[&[0x81, 0x80 | length, 0, 0, 0, 0], text.as_bytes()].concat()).unwrap();
}

fn with_token(protocol: &str) -> String {
    format!("{protocol}, token.{TOKEN}")
}

#[test]
fn when_strangers_hold_more_sockets_than_there_is_room_for_expect_whoever_has_the_token_let_in_and_heard() {
    let scene = Scene::with(false, 8);
    let (mut client, status) = scene.socket(&with_token("hexapod.v1"));
    assert_eq!(status, 101);
    let mut held: Vec<TcpStream> = (0..300).map(|_| scene.connect()).collect();
    held.iter_mut().for_each(|stream| drop(stream.write_all(b"GET / HTTP/1.1\r\nHost: loc")));
    say(&mut client, r#"{"type":"stop","kind":"emergency"}"#);
    assert_eq!(scene.stop(), Some(Stop::Emergency));
    assert_eq!(scene.socket(&with_token("hexapod.v1")).1, 101);
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(scene.status("/robot.urdf", &scene.own(), &token), 200);
}

#[test]
fn when_there_is_no_room_for_a_client_expect_its_stop_taken_all_the_same() {
    let scene = Scene::with(false, 1);
    let _client = scene.socket(&with_token("hexapod.v1"));
    assert_eq!(scene.socket(&with_token("hexapod.v1")).1, 503);
    assert_eq!(scene.socket("hexapod.stop").1, 401, "not without the token");
    let (mut stops, status) = scene.socket(&with_token("hexapod.stop"));
    assert_eq!(status, 101);
    say(&mut stops, r#"{"type":"stop","kind":"halt"}"#);
    say(&mut stops, r#"{"type":"ping","id":7}"#);
    assert_eq!(scene.stop(), Some(Stop::Halt));
    let mut answer = [0; 64];
    let count = stops.read(&mut answer).unwrap();
    assert!(String::from_utf8_lossy(&answer[..count]).contains(r#""type":"pong","id":7"#));
    // It does nothing else.
    say(&mut stops, r#"{"type":"lease","id":8,"want":"take"}"#);
    let ended = std::iter::from_fn(|| stops.read(&mut answer).ok().filter(|count| *count > 0)).count();
    assert!(ended <= 2, "it is closed");
}

#[test]
fn when_a_request_comes_through_a_proxy_expect_the_token_demanded_though_none_was_set() {
    let scene = Scene::with(true, 8);
    let own = scene.own();
    assert_eq!(scene.status("/robot.urdf", &own, ""), 200);
    assert_eq!(scene.socket("hexapod.v1").1, 101);
    let forwarded = "X-Forwarded-For: 10.0.0.7\r\n";
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    for (host, more) in [
        (own.as_str(), forwarded),
        (&own, "Forwarded: for=10.0.0.7\r\n"),
        (&own, "X-Real-IP: 10.0.0.7\r\n"),
        (&own, "Via: 1.1 proxy\r\n"),
        ("192.168.4.1:8080", ""),
        ("pi.local:8080", ""),
    ] {
        assert_eq!(scene.status("/robot.urdf", host, more), 401, "{host} {more}");
        assert_eq!(scene.status("/robot.urdf", host, &format!("{more}{token}")), 200, "{host} {more}");
        assert_eq!(scene.status("/", host, more), 200, "the page itself holds no secret");
        let request = |protocols| format!("{more}{}", upgrade(&format!("http://{host}"), protocols));
        assert_eq!(scene.status("/ws", host, &request("hexapod.v1")), 401, "{host} {more}");
        assert_eq!(scene.status("/ws", host, &request(&with_token("hexapod.v1"))), 101, "{host} {more}");
    }
}

#[test]
fn when_a_page_of_another_site_asks_expect_nothing_but_a_link_to_the_page_followed() {
    let scene = Scene::with(true, 8);
    let own = scene.own();
    for site in ["cross-site", "same-site"] {
        let sound = format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: audio\r\n");
        let frame = format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n");
        let link = format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n");
        for path in ["/", "/hexapod.wasm", "/icon.svg", "/robot.urdf", "/camera", "/elevation", "/recording", "/none"] {
            assert_eq!(scene.status(path, &own, &sound), 403, "{site} {path}");
            assert_eq!(scene.status(path, &own, &frame), 403, "{site} {path}");
        }
        assert_eq!(scene.status("/", &own, &link), 200, "{site}");
        assert_eq!(scene.status("/recording", &own, &link), 403, "{site}");
    }
    for (site, status) in [("same-origin", 200), ("none", 200)] {
        assert_eq!(scene.status("/robot.urdf", &own, &format!("Sec-Fetch-Site: {site}\r\n")), status);
    }
    // A proxy that leaves the port out of `Host`: the page is shown and can say what is wrong.
    let proxied = "Origin: http://robot.example:81\r\nSec-Fetch-Site: same-origin\r\n";
    assert_eq!(scene.status("/", "pi", proxied), 200);
    assert_eq!(scene.status("/robot.urdf", "pi", proxied), 403);
}

#[test]
fn when_the_description_is_fetched_expect_it_compressed_for_who_takes_that() {
    let scene = Scene::with(true, 8);
    let length = |more: &str| {
        let head = scene.ask("/robot.urdf", &scene.own(), more).2;
        let line = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse::<usize>();
        (line.unwrap(), head.contains("content-encoding: gzip"))
    };
    let (plain, packed) = (length(""), length("Accept-Encoding: gzip, br\r\n"));
    assert!(plain.0 > 7000 && !plain.1 && packed.0 < 1000 && packed.1, "{plain:?} {packed:?}");
}

#[test]
fn when_many_download_and_read_nothing_expect_a_stop_heard_in_milliseconds() {
    let scene = Scene::with(true, 8);
    let (mut client, _) = scene.socket("hexapod.v1");
    let own = scene.own();
    let ask = format!("GET /hexapod.wasm HTTP/1.1\r\nHost: {own}\r\n\r\n").repeat(50);
    let _held: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = scene.connect();
            stream.set_nonblocking(true).unwrap();
            let _ = stream.write(ask.as_bytes());
            stream
        })
        .collect();
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let pressed = Instant::now();
        say(&mut client, r#"{"type":"stop","kind":"emergency"}"#);
        assert_eq!(scene.stop(), Some(Stop::Emergency));
        slowest = slowest.max(pressed.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(slowest < Duration::from_millis(200), "{slowest:?}");
}
