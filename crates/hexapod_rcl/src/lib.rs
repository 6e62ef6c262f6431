#![doc = include_str!("../README.md")]

mod awaiting;
mod client;
mod closing;
mod context;
mod error;
mod graph;
pub mod heap;
mod info;
mod node;
mod node_handle;
mod opening;
mod overrides;
mod pinned;
mod publisher;
mod service;
mod subscription;
mod text;
mod transforms;
mod waiting;

pub use client::{Client, Requester};
pub use closing::middleware_hangs;
pub use context::{Context, middleware};
pub use error::RclError;
pub use graph::{Endpoint, Graph};
pub use info::{Gid, MessageInfo, RequestInfo};
pub use node::Node;
pub use overrides::Override;
pub use publisher::Publisher;
pub use service::{RequestId, Responder, Service};
pub use subscription::Subscription;
pub use transforms::refill_transforms;
pub use waiting::{Awaited, WaitSet, Waker};
