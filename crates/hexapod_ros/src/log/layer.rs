//! From tracing events to lines.

use super::entry::{Entry, Severity};
use super::levels::Levels;
use super::names::NAMES;
use super::writer;
use crate::bounds::{self, MAX_LINE};
use crate::clock::RosClock;
use std::fmt::{Debug, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Hands every event to the writer.
pub(crate) struct ToWriter {
    /// What is written; `None`: all that comes here.
    levels: Option<Levels>,
}

impl ToWriter {
    pub fn all() -> Self {
        Self { levels: None }
    }

    pub fn of(levels: Levels) -> Self {
        Self { levels: Some(levels) }
    }
}

impl<S: Subscriber> Layer<S> for ToWriter {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let (metadata, mut said) = (event.metadata(), Said::default());
        event.record(&mut said);
        let name = NAMES.of(said.node.as_deref(), metadata.target());
        let severity = Severity::from(metadata.level());
        if self.levels.as_ref().is_some_and(|levels| !levels.allow(&name, severity)) {
            return;
        }
        writer::hand_over(Entry {
            at: RosClock::System.now(),
            severity,
            name,
            text: bounds::shorten(&said.text, MAX_LINE).into_owned(),
            file: metadata.file().unwrap_or_default(),
            function: metadata.module_path().unwrap_or_default(),
            line: metadata.line().unwrap_or_default(),
        });
    }
}

/// What an event says: its message, the node it names in the field `node`, and its other fields behind the message.
#[derive(Debug, Default)]
struct Said {
    text: String,
    node: Option<String>,
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "node" => self.node = Some(value.into()),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => {
                let others = std::mem::take(&mut self.text);
                write!(self.text, "{value:?}{others}")
            }
            name => write!(self.text, " {name}={value:?}"),
        };
    }
}
