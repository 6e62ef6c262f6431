//! Line numbers of elements and attributes.

use std::ops::Range;

use roxmltree::Node;

use super::shapes::LinkShapes;
use crate::error::ModelError;

/// Line of each `<link>` and `<joint>` of the robot in document order, and the line starts of the text.
#[derive(Debug, Default)]
pub(super) struct Lines {
    starts: Vec<usize>,
    pub(super) links: Vec<ElementLines>,
    pub(super) joints: Vec<ElementLines>,
    /// For each joint, what to say of limits that it needs and does not have.
    pub(super) without_limits: Vec<Option<ModelError>>,
    /// The shapes of the links, where they have been read already.
    pub(super) shapes: Option<Vec<LinkShapes>>,
    /// Where what `urdf-rs` need not read stands, in bytes.
    pub(super) skipped: Vec<Range<usize>>,
    /// What to tell of text between elements.
    pub(super) stray: Option<String>,
}

/// Where an element and the elements inside it stand.
#[derive(Debug, Default)]
pub(super) struct ElementLines {
    pub(super) line: Option<u32>,
    inside: Vec<(String, u32)>,
}

impl ElementLines {
    /// Line of the first element of that tag inside, else the element's own.
    pub(super) fn of(&self, tag: &str) -> Option<u32> {
        self.inside.iter().find(|(name, _)| name == tag).map(|(_, line)| *line).or(self.line)
    }
}

impl Lines {
    /// Line starts of a text.
    pub(super) fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { starts, ..Self::default() }
    }

    /// The text without what `urdf-rs` need not read.
    pub(super) fn without_skipped(&self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut from = 0;
        for range in &self.skipped {
            // One within another has gone with it.
            kept.push_str(text.get(from..range.start).unwrap_or_default());
            from = from.max(range.end);
        }
        kept.push_str(text.get(from..).unwrap_or_default());
        kept
    }

    /// Line of a byte offset, from 1.
    pub(super) fn at(&self, offset: usize) -> Option<u32> {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).ok()
    }

    /// Line of a node.
    pub(super) fn node(&self, node: Node<'_, '_>) -> Option<u32> {
        self.at(node.range().start)
    }

    /// Line of an attribute of a node, else the node's own.
    pub(super) fn attribute(&self, node: Node<'_, '_>, name: &str) -> Option<u32> {
        self.at(node.attribute_node(name).map_or(node.range().start, |a| a.range().start))
    }

    /// Lines of a link or joint and what is inside it.
    pub(super) fn element(&self, node: Node<'_, '_>) -> ElementLines {
        let inside = node
            .descendants()
            .filter(|n| n.is_element() && *n != node)
            .filter_map(|n| Some((n.tag_name().name().to_owned(), self.node(n)?)))
            .collect();
        ElementLines { line: self.node(node), inside }
    }
}
