//! A parsed file: values with the place of every key and every value, in an arena.

use std::ops::Range;

use serde_yaml::Value;

use crate::scalar::Scalar;

/// Index of a node in its [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) usize);

#[derive(Debug)]
pub(crate) struct Node {
    /// Bytes of the value.
    pub span: Range<usize>,
    /// Bytes of the key, for a value in a mapping.
    pub key_span: Option<Range<usize>>,
    /// Layer whose text the spans are in, 0 for a file that is read alone.
    pub layer: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Scalar(Scalar),
    Mapping(Vec<Pair>),
    Sequence(Vec<NodeId>),
}

#[derive(Debug)]
pub(crate) struct Pair {
    pub key: String,
    /// The key as a value: `0x40` is the number 64 for a map with whole numbers as keys.
    pub key_scalar: Scalar,
    pub value: NodeId,
}

/// One step down from a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// Appends a step to a path: `a`, then `.b` or `[2]`.
pub(crate) fn push_step(path: &mut String, step: &Step) {
    match step {
        Step::Key(key) => {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(key);
        }
        Step::Index(index) => path.push_str(&format!("[{index}]")),
    }
}

/// How far a path leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// All the way.
    Exact(NodeId),
    /// Only to this node; the rest does not exist.
    Parent(NodeId),
}

#[derive(Debug)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    pub root: NodeId,
    /// What was refused while it was built: places without a value.
    pub void: Voids,
    /// Keys that a layer took away by `null`: of which mapping, and the `null`.
    pub taken: Vec<Taken>,
}

/// A key that was taken away.
#[derive(Debug)]
pub(crate) struct Taken {
    pub mapping: NodeId,
    pub key: String,
    pub by: NodeId,
}

/// Nodes that are passed over because something is wrong with them, which has been reported.
pub(crate) type Voids = std::collections::BTreeSet<NodeId>;

impl Tree {
    /// The `null` by which a layer took this key of a mapping away.
    pub fn taken_by(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        self.taken.iter().rev().find(|taken| taken.mapping == mapping && taken.key == key).map(|taken| taken.by)
    }

    pub fn node(&self, id: NodeId) -> &Node {
        // Ids are made by the builder of the same tree only.
        &self.nodes[id.0]
    }

    /// Bytes to point at: a value, or its key when the value is empty or spans several lines.
    pub fn pointed(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        match (&node.kind, &node.key_span) {
            (Kind::Scalar(_), _) if !node.span.is_empty() => node.span.clone(),
            (_, Some(key_span)) => key_span.clone(),
            _ => node.span.clone(),
        }
    }

    /// The keys of a mapping; none for anything else.
    pub fn pairs(&self, id: NodeId) -> &[Pair] {
        if let Kind::Mapping(pairs) = &self.node(id).kind { pairs } else { &[] }
    }

    pub fn child(&self, id: NodeId, step: &Step) -> Option<NodeId> {
        match (&self.node(id).kind, step) {
            (Kind::Mapping(pairs), Step::Key(key)) => pairs
                .iter()
                .find(|pair| pair.key == *key)
                .or_else(|| pairs.iter().find(|pair| pair.key_scalar.to_string() == *key))
                .map(|pair| pair.value),
            (Kind::Sequence(items), Step::Index(index)) => items.get(*index).copied(),
            _ => None,
        }
    }

    /// Has a node stand at a key of the root, and nowhere else. What stood there is no more.
    pub fn move_to_top(&mut self, node: NodeId, key: &str) {
        for other in &mut self.nodes {
            match &mut other.kind {
                Kind::Scalar(_) => {}
                Kind::Mapping(pairs) => pairs.retain(|pair| pair.value != node),
                Kind::Sequence(items) => items.retain(|item| *item != node),
            }
        }
        if let Kind::Mapping(pairs) = &mut self.nodes[self.root.0].kind {
            pairs.retain(|pair| pair.key != key);
            pairs.push(Pair { key: key.into(), key_scalar: Scalar::String(key.into()), value: node });
        }
    }

    /// Follows a written path. Keys that hold dots or brackets themselves are found too: the longest key wins.
    pub fn find(&self, path: &str) -> Lookup {
        let (node, rest) = self.descend(self.root, path);
        if rest.is_empty() { Lookup::Exact(node) } else { Lookup::Parent(node) }
    }

    /// The deepest node on a path, and what of the path is left.
    fn descend<'p>(&self, from: NodeId, path: &'p str) -> (NodeId, &'p str) {
        let mut best = (from, path);
        for (child, rest) in self.first_steps(from, path) {
            let reached = self.descend(child, rest);
            if reached.1.len() < best.1.len() {
                best = reached;
            }
            if best.1.is_empty() {
                break;
            }
        }
        best
    }

    fn first_steps<'p>(&self, from: NodeId, path: &'p str) -> Vec<(NodeId, &'p str)> {
        let path = path.strip_prefix('.').unwrap_or(path);
        match &self.node(from).kind {
            Kind::Scalar(_) => Vec::new(),
            Kind::Sequence(items) => {
                let index = path.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let step = index.and_then(|(index, rest)| Some((*items.get(index.parse::<usize>().ok()?)?, rest)));
                step.into_iter().collect()
            }
            Kind::Mapping(pairs) => {
                let mut steps: Vec<_> = pairs
                    .iter()
                    .filter_map(|pair| Some((pair.value, path.strip_prefix(pair.key.as_str())?)))
                    .filter(|(_, rest)| rest.len() < path.len())
                    .filter(|(_, rest)| rest.is_empty() || rest.starts_with(['.', '[']))
                    .collect();
                steps.sort_by_key(|(_, rest)| rest.len());
                steps
            }
        }
    }

    /// Whether nothing at all stands where the value would be: `key:` and the end of the line.
    pub fn is_blank(&self, id: NodeId) -> bool {
        let node = self.node(id);
        matches!(node.kind, Kind::Scalar(Scalar::Null)) && node.span.is_empty()
    }

    /// How the way to a node is written. Searches the whole tree: for errors only.
    pub fn path_to(&self, target: NodeId) -> String {
        let mut path = String::new();
        let mut at = target;
        let mut steps = Vec::new();
        while let Some((parent, step)) = self.parent(at) {
            steps.push(step);
            at = parent;
        }
        steps.iter().rev().for_each(|step| push_step(&mut path, step));
        path
    }

    pub fn parent(&self, child: NodeId) -> Option<(NodeId, Step)> {
        self.nodes.iter().enumerate().find_map(|(index, node)| {
            let step = match &node.kind {
                Kind::Scalar(_) => None,
                Kind::Mapping(pairs) => {
                    pairs.iter().find(|pair| pair.value == child).map(|pair| Step::Key(pair.key.clone()))
                }
                Kind::Sequence(items) => items.iter().position(|item| *item == child).map(Step::Index),
            };
            Some((NodeId(index), step?))
        })
    }

    /// The value for serde, without what is void. Depth is bounded by the builder, so recursion is too.
    pub fn value(&self, id: NodeId, void: &Voids) -> Value {
        match &self.node(id).kind {
            Kind::Scalar(scalar) => scalar_value(scalar),
            Kind::Sequence(items) => Value::Sequence(living(items, void).map(|item| self.value(*item, void)).collect()),
            Kind::Mapping(pairs) => {
                let pairs = pairs.iter().filter(|pair| !void.contains(&pair.value));
                Value::Mapping(pairs.map(|p| (scalar_value(&p.key_scalar), self.value(p.value, void))).collect())
            }
        }
    }

    /// The step in this tree that is this one in the value without what is void.
    pub fn step_with(&self, id: NodeId, step: Step, void: &Voids) -> Step {
        match (&self.node(id).kind, &step) {
            (Kind::Sequence(items), Step::Index(index)) => {
                let item = living(items, void).nth(*index);
                let place = item.and_then(|item| items.iter().position(|other| other == item));
                place.map_or(step, Step::Index)
            }
            _ => step,
        }
    }
}

fn living<'a>(items: &'a [NodeId], void: &'a Voids) -> impl Iterator<Item = &'a NodeId> {
    items.iter().filter(|item| !void.contains(item))
}

fn scalar_value(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => Value::Bool(*value),
        Scalar::Integer(value) => Value::Number((*value).into()),
        Scalar::Float(value) => Value::Number((*value).into()),
        Scalar::String(text) => Value::String(text.clone()),
    }
}
