//! Names behind senders: the middleware hears of them a moment after their messages, and looks long.

use hexapod_ros::{Graph, Sender};

/// How often a name is looked for that the middleware does not know.
const LOOKS: u32 = 50;

/// The names of those who are asked for.
pub struct Names {
    graph: Graph,
    known: Vec<Name>,
}

#[derive(Clone, Debug)]
struct Name {
    sender: Sender,
    /// The node's full name; empty as long as the middleware does not know it.
    name: String,
    looks: u32,
}

impl Names {
    /// Names that `graph` knows.
    #[must_use]
    pub fn new(graph: Graph) -> Self {
        Self { graph, known: vec![] }
    }

    /// Looks for the names of `senders` that are not known yet, and forgets those of others. Whether one was found.
    pub fn learn(&mut self, senders: impl Iterator<Item = Sender> + Clone) -> bool {
        self.known.retain(|known| senders.clone().any(|sender| sender == known.sender));
        for sender in senders {
            if !self.known.iter().any(|known| known.sender == sender) {
                self.known.push(Name { sender, name: String::new(), looks: 0 });
            }
        }
        let mut found = false;
        for known in self.known.iter_mut().filter(|known| known.name.is_empty() && known.looks < LOOKS) {
            known.looks += 1;
            known.name = self.graph.name_of(known.sender).unwrap_or_default();
            found |= !known.name.is_empty();
        }
        found
    }

    /// The full name of a sender's node; empty if it is not known.
    #[must_use]
    pub fn of(&self, sender: Sender) -> &str {
        self.known.iter().find(|known| known.sender == sender).map_or("", |known| known.name.as_str())
    }
}
