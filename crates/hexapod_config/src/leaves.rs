//! Every value of a document, and where it stands.

use crate::document::Document;
use crate::location::Location;
use crate::tree::{Kind, NodeId, Step, push_step};

/// A value that is no mapping, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Path from the top.
    pub path: String,
    /// The value, as YAML on one line.
    pub value: String,
    /// Number of the layer, from 0 for the lowest.
    pub layer: usize,
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
}

impl Document {
    /// Every value that is no mapping, a list as a whole, in order; a mapping without keys, too.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        gather(self, self.tree().root, &mut String::new(), &mut leaves);
        leaves
    }
}

fn gather(document: &Document, node: NodeId, path: &mut String, leaves: &mut Vec<Leaf>) {
    let tree = document.tree();
    let pairs = tree.pairs(node);
    for pair in pairs {
        let length = path.len();
        push_step(path, &Step::Key(pair.key.clone()));
        gather(document, pair.value, path, leaves);
        path.truncate(length);
    }
    if pairs.is_empty() {
        let source = document.source_of(node);
        let line = Location::in_text(&source.text, tree.pointed(node).start).line;
        let (layer, file) = (tree.node(node).layer, source.name.clone());
        leaves.push(Leaf { path: path.clone(), value: written(document, node), layer, file, line });
    }
}

/// A value as it is written, on one line.
fn written(document: &Document, id: NodeId) -> String {
    let node = document.tree().node(id);
    match &node.kind {
        Kind::Scalar(_) => document.source_of(id).text[node.span.clone()].trim().replace('\n', " "),
        Kind::Sequence(items) => {
            let items: Vec<String> = items.iter().map(|item| written(document, *item)).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Mapping(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|pair| format!("{}: {}", pair.key, written(document, pair.value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}
