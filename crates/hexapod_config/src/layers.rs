//! Files over one another: one tree in which every value knows the layer it came from.

use std::mem;
use std::ops::Range;

use crate::document::{Document, Leaf};
use crate::error::Location;
use crate::scalar::Scalar;
use crate::tree::{Kind, NodeId, Pair, Step, Tree, push_step};

/// Lays a tree over another one, as layer number `layer`.
pub(crate) fn overlay(tree: &mut Tree, above: Tree, layer: usize) {
    let offset = tree.nodes.len();
    let root = NodeId(above.root.0 + offset);
    tree.void.extend(above.void.iter().map(|id| NodeId(id.0 + offset)));
    for mut node in above.nodes {
        node.layer = layer;
        match &mut node.kind {
            Kind::Scalar(_) => {}
            Kind::Mapping(pairs) => pairs.iter_mut().for_each(|pair| pair.value.0 += offset),
            Kind::Sequence(items) => items.iter_mut().for_each(|item| item.0 += offset),
        }
        tree.nodes.push(node);
    }
    tree.root = merged(tree, tree.root, root);
}

/// What counts of two values. Depth is bounded by the builder, so recursion is too.
fn merged(tree: &mut Tree, below: NodeId, above: NodeId) -> NodeId {
    if !matches!(tree.node(below).kind, Kind::Mapping(_)) {
        return above;
    }
    if tree.is_blank(above) {
        return below;
    }
    if !matches!(tree.node(above).kind, Kind::Mapping(_)) {
        return above;
    }
    // What is merged is taken from below, so that a value never hangs in two mappings.
    let lower = take_pairs(tree, below);
    let mut upper = take_pairs(tree, above);
    let mut pairs = Vec::with_capacity(lower.len() + upper.len());
    for pair in lower {
        match upper.iter().position(|other| other.key == pair.key).map(|at| upper.remove(at)) {
            None => pairs.push(pair),
            Some(other) if is_null(tree, other.value) => {}
            Some(other) => pairs.push(Pair { value: merged(tree, pair.value, other.value), ..other }),
        }
    }
    pairs.extend(upper);
    tree.nodes[above.0].kind = Kind::Mapping(pairs);
    above
}

fn take_pairs(tree: &mut Tree, node: NodeId) -> Vec<Pair> {
    match mem::replace(&mut tree.nodes[node.0].kind, Kind::Scalar(Scalar::Null)) {
        Kind::Mapping(pairs) => pairs,
        Kind::Scalar(_) | Kind::Sequence(_) => Vec::new(),
    }
}

/// `null` or `~`, written out.
fn is_null(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.node(node).kind, Kind::Scalar(Scalar::Null)) && !tree.is_blank(node)
}

/// Every value that is no mapping, in order; a mapping without keys, too.
pub(crate) fn leaves(document: &Document) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    gather(document, document.tree().root, &mut String::new(), &mut leaves);
    leaves
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

/// The lines of an entry, and its indentation; `None` where other things stand in them, too.
pub(crate) fn lines_of(document: &Document, node: NodeId) -> Option<(Range<usize>, usize)> {
    let text = &document.source_of(node).text;
    let key = document.tree().node(node).key_span.clone()?;
    let start = text[..key.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[start..key.start];
    // Brackets that close what is in the entry follow its last value, on the same line.
    let last = last_byte(document.tree(), node).max(key.end);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let rest =
        text[last..end].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']' | ':' | '{' | '['));
    let alone = indent.trim().is_empty() && (rest.is_empty() || rest.starts_with('#'));
    alone.then_some((start..end, indent.len()))
}

/// Where the last value in a value ends.
fn last_byte(tree: &Tree, id: NodeId) -> usize {
    let node = tree.node(id);
    match &node.kind {
        Kind::Scalar(_) => node.span.end,
        Kind::Mapping(pairs) => pairs.iter().map(|pair| last_byte(tree, pair.value)).max().unwrap_or(node.span.start),
        Kind::Sequence(items) => items.iter().map(|item| last_byte(tree, *item)).max().unwrap_or(node.span.start),
    }
}
