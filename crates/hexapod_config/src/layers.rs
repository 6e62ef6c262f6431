//! Files over one another: one tree in which every value knows the layer it came from.

use std::mem;

use crate::scalar::Scalar;
use crate::tree::{Kind, NodeId, Pair, Taken, Tree};

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
    tree.taken.iter_mut().filter(|taken| taken.mapping == below).for_each(|taken| taken.mapping = above);
    let lower = take_pairs(tree, below);
    let mut upper = take_pairs(tree, above);
    let mut pairs = Vec::with_capacity(lower.len() + upper.len());
    for pair in lower {
        match upper.iter().position(|other| other.key == pair.key).map(|at| upper.remove(at)) {
            None => pairs.push(pair),
            Some(other) if is_null(tree, other.value) => {
                tree.taken.push(Taken { mapping: above, key: pair.key, by: other.value });
            }
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
