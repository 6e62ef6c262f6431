//! Which file each name leads to: through `use` statements and what other modules hand on, to where it is defined.

use super::tree::{Impl, Module, Path, Tree};
use crate::layers::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// Where a path ends.
#[derive(Clone, Debug, PartialEq)]
enum End {
    Module(Path),
    /// The module that defines it, and its name.
    Item(Path, String),
}

impl End {
    fn module(&self) -> &Path {
        match self {
            Self::Module(path) | Self::Item(path, _) => path,
        }
    }
}

/// File -> the files it names.
pub fn graph(tree: &Tree) -> Graph {
    let mut graph = Graph::new();
    let methods = methods(tree);
    for (at, module) in &tree.modules {
        let of_uses = module.uses.iter().filter(|of| !of.is_export).flat_map(|of| tree.ends(at, &of.path));
        let of_names = module.named.iter().flat_map(|path| tree.named(at, path));
        let of_ends = of_uses.chain(of_names).map(|end| tree.modules[end.module()].file.clone());
        let of_paths = module.named.iter().flat_map(|path| tree.functions(at, path, &methods));
        let of_calls = module.impls.iter().flat_map(|block| tree.called(at, block, &methods));
        let named = of_ends.chain(of_paths).chain(of_calls).filter(|file| *file != module.file);
        graph.entry(module.file.clone()).or_default().extend(named.collect::<Vec<_>>());
    }
    graph
}

/// A type's function, and the files in which it is defined, where that is not a trait's.
type Methods = BTreeMap<(Path, String, String), BTreeSet<String>>;

fn methods(tree: &Tree) -> Methods {
    let mut methods = Methods::new();
    for (at, module) in &tree.modules {
        for block in module.impls.iter().filter(|block| block.is_inherent) {
            for (of, name) in tree.types(at, &block.of) {
                for function in &block.defines {
                    let files = methods.entry((of.clone(), name.clone(), function.clone())).or_default();
                    files.insert(module.file.clone());
                }
            }
        }
    }
    methods
}

impl Tree {
    /// Files that define what an `impl` calls on its own type.
    fn called(&self, at: &Path, block: &Impl, methods: &Methods) -> Vec<String> {
        block.calls.iter().flat_map(|function| self.functions_of(at, &block.of, function, methods)).collect()
    }

    /// Files that define the function that `Type::function` names.
    fn functions(&self, at: &Path, path: &Path, methods: &Methods) -> Vec<String> {
        let Some((function, of)) = path.split_last() else { return vec![] };
        self.functions_of(at, of, function, methods)
    }

    fn functions_of(&self, at: &Path, of: &[String], function: &str, methods: &Methods) -> Vec<String> {
        let types = self.types(at, of).into_iter();
        let files = types.filter_map(|(of, name)| methods.get(&(of, name, function.to_owned())));
        files.filter(|files| !files.contains(&self.modules[at].file)).flatten().cloned().collect()
    }

    fn types(&self, at: &Path, path: &[String]) -> Vec<(Path, String)> {
        let item = |end| if let End::Item(path, name) = end { Some((path, name)) } else { None };
        self.ends(at, path).into_iter().filter_map(item).collect()
    }

    /// Where a path of the code ends. One word is no module: it may be a variable.
    fn named(&self, at: &Path, path: &Path) -> Vec<End> {
        let is_item = |end: &End| path.len() > 1 || matches!(end, End::Item(..));
        self.ends(at, path).into_iter().filter(is_item).collect()
    }

    /// Where a path ends that stands in a module; nowhere if it leads out of the crate.
    fn ends(&self, at: &Path, path: &[String]) -> Vec<End> {
        self.follow(at, path, &mut Seen::new())
    }

    fn follow(&self, at: &Path, path: &[String], seen: &mut Seen) -> Vec<End> {
        let Some((first, rest)) = path.split_first() else { return vec![] };
        let starts = match first.as_str() {
            "crate" => vec![End::Module(vec![])],
            "self" => vec![End::Module(at.clone())],
            "super" => vec![End::Module(parent(at))],
            _ => self.found_in(at, first, seen),
        };
        starts.into_iter().flat_map(|start| self.walk(start, rest, seen)).collect()
    }

    /// Follows the rest of a path as far as it is known.
    fn walk(&self, start: End, rest: &[String], seen: &mut Seen) -> Vec<End> {
        let (End::Module(at), Some((next, rest))) = (&start, rest.split_first()) else { return vec![start] };
        let found = if next == "super" { vec![End::Module(parent(at))] } else { self.found_in(at, next, seen) };
        if found.is_empty() {
            return vec![start];
        }
        found.into_iter().flat_map(|found| self.walk(found, rest, seen)).collect()
    }

    /// What a name means in a module: a module below it, what it defines, or what it has from elsewhere.
    fn found_in(&self, at: &Path, name: &str, seen: &mut Seen) -> Vec<End> {
        let below: Path = at.iter().cloned().chain([name.to_owned()]).collect();
        let Some(module) = self.modules.get(at) else { return vec![] };
        if self.modules.contains_key(&below) {
            return vec![End::Module(below)];
        }
        if module.items.contains(name) {
            return vec![End::Item(at.clone(), name.to_owned())];
        }
        if !seen.insert((at.clone(), name.to_owned())) {
            return vec![];
        }
        let by_name = module.uses.iter().filter(|of| of.name == name);
        let by_name: Vec<End> = by_name.flat_map(|of| self.follow(at, &of.path, seen)).collect();
        if by_name.is_empty() { self.found_by_glob(at, module, name, seen) } else { by_name }
    }

    fn found_by_glob(&self, at: &Path, module: &Module, name: &str, seen: &mut Seen) -> Vec<End> {
        let globs = module.uses.iter().filter(|of| of.name == "*");
        let ends: Vec<End> = globs.flat_map(|of| self.follow(at, &of.path, seen)).collect();
        let modules = ends.iter().filter_map(|end| if let End::Module(path) = end { Some(path) } else { None });
        modules.flat_map(|path| self.found_in(path, name, seen)).collect()
    }
}

/// Names that are being looked for, in which modules: two may hand on each other's.
type Seen = BTreeSet<(Path, String)>;

fn parent(path: &Path) -> Path {
    path.split_last().map_or(vec![], |(_, parents)| parents.to_vec())
}
