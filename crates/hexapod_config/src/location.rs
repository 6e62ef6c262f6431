//! Places in a text.

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Offset in bytes from the start of the text.
    pub offset: usize,
}

impl Location {
    /// The place of a byte offset; an offset past the end means the end of the last line.
    pub(crate) fn in_text(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        if offset == text.len() && text.ends_with('\n') {
            offset -= if text.ends_with("\r\n") { 2 } else { 1 };
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, offset }
    }
}
