//! How deep elements are nested: walking them must not exhaust the stack.

use roxmltree::{Document, Node};

use super::lines::Lines;
use crate::error::{ModelError, ModelFault, Place};

/// Deepest nesting of elements; a URDF needs six.
const MAX_NESTING: usize = 64;

/// Refuses elements that are nested too deep.
pub(super) fn check_nesting(document: &Document<'_>, lines: &Lines) -> Result<(), ModelError> {
    let mut depth = 0usize;
    let mut node = document.root();
    loop {
        node = match (node.first_child(), node.next_sibling()) {
            (Some(child), _) => {
                depth += 1;
                child
            }
            (None, Some(next)) => next,
            (None, None) => match after(node, &mut depth) {
                Some(next) => next,
                None => return Ok(()),
            },
        };
        if depth > MAX_NESTING {
            let place = Place::element(format!("<{}>", node.tag_name().name()), lines.node(node));
            let found = format!("is nested more than {MAX_NESTING} deep");
            return Err(ModelError::new(ModelFault::Syntax, place, found, "a URDF needs six levels"));
        }
    }
}

/// The node after the subtree that ends in `node`.
fn after<'a, 'b>(node: Node<'a, 'b>, depth: &mut usize) -> Option<Node<'a, 'b>> {
    let mut at = node;
    loop {
        at = at.parent()?;
        *depth = depth.saturating_sub(1);
        if let Some(next) = at.next_sibling() {
            return Some(next);
        }
    }
}
