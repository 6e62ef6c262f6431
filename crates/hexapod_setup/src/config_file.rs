//! One configuration file, which may stand in several folders.

use hexapod_config::{ConfigError, Document, Source};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One configuration file in all its layers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigFile {
    /// The lowest layer first. There is always one, which need not exist.
    layers: Vec<Layer>,
    /// Whether the lowest layer is shipped, and not the owner's.
    is_shipped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Layer {
    path: PathBuf,
    /// What it holds, where it is not to be read from a disk.
    text: Option<Arc<str>>,
}

impl Layer {
    fn source(&self) -> Result<Source, ConfigError> {
        match &self.text {
            Some(text) => Ok(Source::new(self.path.display().to_string(), &**text)),
            None => Source::read(&self.path),
        }
    }
}

impl From<PathBuf> for Layer {
    fn from(path: PathBuf) -> Self {
        Self { path, text: None }
    }
}

impl ConfigFile {
    /// A file on a disk, its layers with the lowest first.
    pub(crate) fn of_layers(layers: Vec<PathBuf>, is_shipped: bool) -> Self {
        Self { layers: layers.into_iter().map(Layer::from).collect(), is_shipped }
    }

    /// A file that is on no disk: its layers, each with the name that errors call it by, the lowest first.
    #[must_use]
    pub fn of_texts<'a>(layers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let layers = layers.into_iter().map(|(name, text)| Layer { path: name.into(), text: Some(text.into()) });
        Self { layers: layers.collect(), is_shipped: false }
    }

    /// Reads the layers over one another. An owner's file may be empty; a file that is there alone may not.
    ///
    /// # Errors
    /// A file cannot be read or is not plain YAML: file, line, why.
    pub fn read(&self) -> Result<Document, ConfigError> {
        self.read_on()?.sound()
    }

    /// As [`read`](Self::read), but goes on where something can be reported together with what is wrong with the
    /// values: see [`Document::parse_on`].
    ///
    /// # Errors
    /// A file cannot be read, or what leaves nothing to go on with.
    pub fn read_on(&self) -> Result<Document, ConfigError> {
        let (lowest, others) = self.layers.split_first().ok_or_else(|| {
            ConfigError::whole_file("", "there is no folder of configuration files", "give one with --config")
        })?;
        others.iter().try_fold(Document::parse_on(lowest.source()?)?, |document, layer| {
            let above = Document::parse_layer(layer.source()?)?;
            Ok(match above {
                Some(above) => document.layered(above),
                None => document,
            })
        })
    }

    /// As [`read`](Self::read), with another text in place of the topmost layer `path`, which need not be there yet.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_with(&self, path: &Path, text: &str) -> Result<Document, ConfigError> {
        let below: Vec<Layer> = self.layers.iter().filter(|layer| layer.path != path).cloned().collect();
        let source = Source::new(path.display().to_string(), text);
        if below.is_empty() {
            return Document::parse(source);
        }
        let document = Self { layers: below, ..*self }.read()?;
        Ok(match Document::parse_layer(source)? {
            Some(above) => document.layered(above),
            None => document,
        })
    }

    /// The topmost layer.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.layers.last().map_or(Path::new(""), |layer| &layer.path)
    }

    /// Whether its lowest layer is shipped, and not the owner's.
    pub(crate) fn is_shipped(&self) -> bool {
        self.is_shipped
    }

    /// The same with a lowest layer that is shipped.
    #[must_use]
    pub fn over_shipped(self) -> Self {
        Self { is_shipped: true, ..self }
    }

    /// Whether the owner wrote a value, and it is not as shipped; `document` is this file.
    pub(crate) fn is_own(&self, document: &Document, key: &str) -> bool {
        document.layer(key).is_some_and(|layer| layer > 0 || !self.is_shipped)
    }

    /// Whether there is such a file.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.layers.last().is_some_and(|layer| layer.text.is_some() || is_there(&layer.path))
    }
}

impl From<&Path> for ConfigFile {
    fn from(path: &Path) -> Self {
        Self { layers: vec![path.to_owned().into()], is_shipped: false }
    }
}

impl From<&PathBuf> for ConfigFile {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&ConfigFile> for ConfigFile {
    fn from(file: &ConfigFile) -> Self {
        file.clone()
    }
}

/// Whether there is something, be it a link to nowhere or what may not be read: that is reported, not passed over.
pub(crate) fn is_there(path: &Path) -> bool {
    let looked = path.symlink_metadata().map_err(|error| error.kind());
    !matches!(looked, Err(ErrorKind::NotFound | ErrorKind::NotADirectory))
}
