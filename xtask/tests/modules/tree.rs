//! The modules of one target (a library, an executable) as its `mod` statements make them, and what stands in each.

use super::tokens::{Token, tokens, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// `plan::steps` as `["plan", "steps"]`.
pub type Path = Vec<String>;

/// A module, in a file of its own or within another's.
#[derive(Default)]
pub struct Module {
    /// The file it stands in.
    pub file: String,
    /// What it defines.
    pub items: BTreeSet<String>,
    pub uses: Vec<Use>,
    /// Paths that its code names, single words included.
    pub named: Vec<Path>,
    pub impls: Vec<Impl>,
}

/// One branch of a `use` statement.
pub struct Use {
    pub path: Path,
    /// The name it is known by here; `*` for all that is there.
    pub name: String,
    /// Whether it hands on what it names.
    pub is_export: bool,
}

/// An `impl` block.
#[derive(Default)]
pub struct Impl {
    pub of: Path,
    /// Whether it is no trait's.
    pub is_inherent: bool,
    pub defines: BTreeSet<String>,
    /// Functions that it calls on `self` or `Self`.
    pub calls: BTreeSet<String>,
}

/// The modules by their path, the root's empty; and files that only tests are built with.
#[derive(Default)]
pub struct Tree {
    pub modules: BTreeMap<Path, Module>,
    pub for_tests: BTreeSet<String>,
}

impl Tree {
    /// Of the root `file`, given all files by their path.
    pub fn of(files: &BTreeMap<String, String>, file: &str) -> Self {
        let mut tree = Self::default();
        tree.add_file(files, file, vec![], folder_of(file));
        tree
    }

    /// `folder` is where the files of modules below it are.
    fn add_file(&mut self, files: &BTreeMap<String, String>, file: &str, path: Path, folder: String) {
        let (code, left_out) = without_tests(tokens(&files[file]));
        let below: Vec<String> = left_out.iter().flat_map(|name| candidates(&folder, name)).collect();
        self.for_tests.extend(below);
        let mut reader = Reader { tree: self, file, open: vec![], at: path, declared: vec![] };
        reader.read(&code);
        let declared = reader.declared;
        for (module, given) in declared {
            let (name, parents) = module.split_last().unwrap();
            let within = &parents[self.depth_of(file)..];
            let folder = within.iter().fold(folder.clone(), |folder, name| format!("{folder}{name}/"));
            let candidates =
                given.map_or_else(|| candidates(&folder, name), |given| vec![format!("{}{given}", folder_of(file))]);
            if let Some(found) = candidates.iter().find(|file| files.contains_key(*file)) {
                let below = if found.ends_with("/mod.rs") { folder_of(found) } else { format!("{folder}{name}/") };
                self.add_file(files, found, module, below);
            }
        }
    }

    /// How long the path of a file's own module is.
    fn depth_of(&self, file: &str) -> usize {
        self.modules.iter().filter(|(_, module)| module.file == file).map(|(path, _)| path.len()).min().unwrap_or(0)
    }
}

fn folder_of(file: &str) -> String {
    file.rfind('/').map_or(String::new(), |end| file[..=end].to_owned())
}

fn candidates(folder: &str, name: &str) -> Vec<String> {
    vec![format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")]
}

/// What a brace has opened.
enum Open {
    Module,
    Impl,
    Other,
}

struct Reader<'a> {
    tree: &'a mut Tree,
    file: &'a str,
    open: Vec<Open>,
    at: Path,
    /// Modules in files of their own, and where a `#[path]` says that they are.
    declared: Vec<(Path, Option<String>)>,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        let module = self.tree.modules.entry(self.at.clone()).or_default();
        module.file = self.file.to_owned();
        module
    }

    fn read(&mut self, code: &[Token]) {
        self.module();
        let mut at = 0;
        while at < code.len() {
            at += self.take(code, at).max(1);
        }
    }

    /// Takes what begins at a place, and says how many tokens that were.
    fn take(&mut self, code: &[Token], at: usize) -> usize {
        let before = at.checked_sub(1).map_or("", |before| &code[before]);
        match (code[at].as_str(), code.get(at + 1).map_or("", String::as_str)) {
            ("use", _) if self.is_statement(before) => return self.take_use(code, at),
            ("impl", _) if self.in_module() && self.is_statement(before) => return self.take_impl(code, at),
            ("mod", name) if self.in_module() => return self.take_module(code, at, name),
            ("macro_rules", "!") => self.define(&code[at + 2]),
            ("fn", name) => {
                self.define(name);
                return 2;
            }
            ("struct" | "enum" | "union" | "trait" | "type" | "const" | "static", name) => self.define(name),
            ("{", _) => self.open.push(Open::Other),
            ("}", _) => self.close(),
            (word, _) if is_name(word) && ![".", "::"].contains(&before) => return self.take_path(code, at),
            (word, _) if before == "." => self.note_call(code, at, word),
            _ => {}
        }
        1
    }

    fn is_statement(&self, before: &str) -> bool {
        ["", ";", "{", "}", "]", ")", "pub", "unsafe"].contains(&before)
    }

    fn in_module(&self) -> bool {
        self.open.iter().all(|open| matches!(open, Open::Module))
    }

    fn close(&mut self) {
        if let Some(Open::Module) = self.open.pop() {
            self.at.pop();
        }
    }

    fn define(&mut self, name: &str) {
        let in_impl = matches!(self.open.last(), Some(Open::Impl));
        if self.in_module() {
            self.module().items.insert(name.to_owned());
        } else if in_impl && let Some(of) = self.module().impls.last_mut() {
            of.defines.insert(name.to_owned());
        }
    }

    fn take_module(&mut self, code: &[Token], at: usize, name: &str) -> usize {
        if code[at + 2] == "{" {
            self.at.push(name.to_owned());
            self.open.push(Open::Module);
            self.module();
        } else {
            let path = self.at.iter().cloned().chain([name.to_owned()]).collect();
            let before = code[..at].iter().rev().take_while(|token| ![";", "}", "{"].contains(&token.as_str()));
            let before: Vec<&str> = before.map(String::as_str).collect();
            let given = before.iter().rev().skip_while(|token| **token != "path").skip(2);
            let given: String = given.take_while(|token| ![")", "]"].contains(token)).copied().collect();
            self.declared.push((path, Some(given).filter(|given| !given.is_empty())));
        }
        3
    }

    fn take_use(&mut self, code: &[Token], at: usize) -> usize {
        let length = code[at..].iter().position(|token| token == ";").unwrap_or(code.len() - at);
        let before = at.checked_sub(1).map_or("", |before| &code[before]);
        let is_export = before == "pub" || before == ")";
        let mut rest = &code[at + 1..at + length];
        let branches = branches(&mut rest);
        let uses = branches.into_iter().map(|(path, name)| named(path, name, is_export));
        self.module().uses.extend(uses.collect::<Vec<_>>());
        length
    }

    fn take_impl(&mut self, code: &[Token], at: usize) -> usize {
        let length = code[at..].iter().position(|token| token == "{").unwrap_or(0);
        let header = &code[at + 1..at + length];
        let bounds = header.iter().position(|token| token == "where").unwrap_or(header.len());
        let is_for =
            |(at, token): &(usize, &Token)| *token == "for" && header.get(at + 1).is_none_or(|next| next != "<");
        let of_trait = header[..bounds].iter().enumerate().find(is_for).map(|(at, _)| at + 1);
        let start = of_trait.unwrap_or_else(|| after_generics(header));
        let name = header[start..].iter().position(|token| is_name(token) && token != "dyn" && token != "mut");
        let of = name.map_or(vec![], |name| path(&header[start + name..]));
        self.module().impls.push(Impl { of, is_inherent: of_trait.is_none(), ..Impl::default() });
        let words = (0..header.len()).filter(|&at| is_name(&header[at]) && (at == 0 || header[at - 1] != "::"));
        let named: Vec<Path> = words.map(|at| path(&header[at..])).collect();
        self.module().named.extend(named);
        self.open.push(Open::Impl);
        length + 1
    }

    fn take_path(&mut self, code: &[Token], at: usize) -> usize {
        let found = path(&code[at..]);
        let length = 2 * found.len() - 1;
        if let [first, function, ..] = &found[..]
            && first == "Self"
        {
            self.call(function);
        }
        self.module().named.push(found);
        length
    }

    fn note_call(&mut self, code: &[Token], at: usize, function: &str) {
        let is_called = code.get(at + 1).is_some_and(|next| next == "(" || next == "::");
        if is_called && at >= 2 && code[at - 2] == "self" {
            self.call(function);
        }
    }

    fn call(&mut self, function: &str) {
        let in_impl = self.open.iter().any(|open| matches!(open, Open::Impl));
        if in_impl && let Some(of) = self.module().impls.last_mut() {
            of.calls.insert(function.to_owned());
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The path with which code begins.
fn path(code: &[Token]) -> Path {
    let mut found = vec![code[0].clone()];
    let mut rest = &code[1..];
    while let [sign, next, after @ ..] = rest
        && sign == "::"
        && is_name(next)
    {
        found.push(next.clone());
        rest = after;
    }
    found
}

/// Behind the `<...>` with which the header of an `impl` may begin.
fn after_generics(header: &[Token]) -> usize {
    let mut depth = 0;
    for (at, token) in header.iter().enumerate() {
        depth += i32::from(token == "<") - i32::from(token == ">" && at > 0 && header[at - 1] != "-");
        if depth == 0 {
            return if token == ">" { at + 1 } else { at };
        }
    }
    0
}

/// The branches of a `use` tree up to its end or the end of its braces, each with the name that `as` gives it.
fn branches(rest: &mut &[Token]) -> Vec<(Path, Option<String>)> {
    let (mut all, mut path, mut name) = (vec![], vec![], None);
    while let [token, after @ ..] = *rest {
        *rest = after;
        match token.as_str() {
            "{" => {
                let inner = branches(rest);
                all.extend(inner.into_iter().map(|(inner, name)| ([path.clone(), inner].concat(), name)));
                path.clear();
            }
            "," | "}" => {
                all.push((std::mem::take(&mut path), name.take()));
                if token == "}" {
                    break;
                }
            }
            "as" => name = rest.first().cloned(),
            "::" => {}
            _ if name.is_none() => path.push(token.clone()),
            _ => {}
        }
    }
    all.push((path, name));
    all.retain(|(path, _)| !path.is_empty());
    all
}

/// `a::*` hands on all of `a`, and `a::{self}` is `a`.
fn named(mut path: Path, name: Option<String>, is_export: bool) -> Use {
    let is_all = path.last().is_some_and(|last| last == "*");
    if is_all || path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = if is_all { Some("*".to_owned()) } else { name };
    let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
    Use { path, name, is_export }
}
