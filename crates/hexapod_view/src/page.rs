//! A page of text with keys in the terminal, for guided tools.

use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers};
use hexapod_calibration::{Page, Tone};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};
use std::io;
use std::time::{Duration, Instant};

use crate::TerminalGuard;
use crate::decode::Input;
use crate::keyboard::Keyboard;

/// A key that a page may understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKey {
    /// A letter, digit or sign; letters in lower case.
    Char(char),
    /// Arrow.
    Up,
    /// Arrow.
    Down,
    /// Arrow.
    Left,
    /// Arrow.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Return.
    Enter,
    /// One back.
    Backspace,
    /// Leave: Escape or Ctrl-C.
    Escape,
}

/// Time from one picture to the next.
const FRAME: Duration = Duration::from_millis(50);

/// Columns below which no page is drawn.
const LEAST_COLUMNS: u16 = 30;

/// Shows pages and passes keys on, until `take` returns false or `stop` says so. Where a page does not fit the terminal, the
/// size needed is shown instead, and only the keys that leave count. The terminal is given back on return.
///
/// # Errors
/// When there is no terminal, or when it goes away.
pub fn run_page(
    mut source: impl FnMut() -> Page,
    mut take: impl FnMut(PageKey) -> bool,
    stop: impl Fn() -> bool,
) -> io::Result<()> {
    let mut guard = TerminalGuard::enter()?;
    let mut keyboard = Keyboard::default();
    while !stop() && guard.is_held() {
        let page = source();
        let mut is_shown = true;
        guard.draw(|frame| is_shown = draw_page(frame, &page))?;
        let next_frame = Instant::now() + FRAME;
        while let Some(inputs) = keyboard.wait(next_frame)? {
            for key in inputs.iter().filter_map(page_key).filter(|key| is_shown || leaves(*key)) {
                if !take(key) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn page_key(input: &Input) -> Option<PageKey> {
    let Input::Key(key) = input else { return None };
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'C') if control => Some(PageKey::Escape),
        KeyCode::Char(_) if control => None,
        KeyCode::Char(letter) => Some(PageKey::Char(letter.to_ascii_lowercase())),
        KeyCode::Up => Some(PageKey::Up),
        KeyCode::Down => Some(PageKey::Down),
        KeyCode::Left => Some(PageKey::Left),
        KeyCode::Right => Some(PageKey::Right),
        KeyCode::PageUp => Some(PageKey::PageUp),
        KeyCode::PageDown => Some(PageKey::PageDown),
        KeyCode::Enter => Some(PageKey::Enter),
        KeyCode::Backspace => Some(PageKey::Backspace),
        KeyCode::Esc => Some(PageKey::Escape),
        _ => None,
    }
}

/// Whether a key leaves any page.
fn leaves(key: PageKey) -> bool {
    matches!(key, PageKey::Escape | PageKey::Char('q'))
}

/// Draws a page, or the size that it needs where it does not fit. Whether it fits.
pub fn draw_page(frame: &mut Frame, page: &Page) -> bool {
    let area = frame.area();
    if let Some((columns, rows)) = needed(page, area) {
        let words = format!(
            "The terminal is too small: {} columns and {} rows, and this page needs {columns} and {rows}. Make it larger, or \
             leave with Esc; until then no other key counts.",
            area.width, area.height
        );
        frame.render_widget(Paragraph::new(words).style(style(Tone::Bad)).wrap(Wrap { trim: true }), area);
        return false;
    }
    let key_lines = key_lines(page, frame.area().width.saturating_sub(2));
    let height = u16::try_from(key_lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let [body, foot] = Layout::vertical([Constraint::Min(3), Constraint::Length(height)]).areas(frame.area());
    let lines: Vec<Line> = page.lines.iter().map(|(tone, text)| Line::styled(text.as_str(), style(*tone))).collect();
    let block = Block::bordered().title(Span::styled(format!(" {} ", page.title), style(Tone::Strong)));
    let inner = block.inner(body);
    frame.render_widget(block, body);
    let width = picture_width(page, inner.as_size());
    let [text, picture] = Layout::horizontal([Constraint::Min(0), Constraint::Length(width)]).areas(inner);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), text);
    frame.render_widget(Paragraph::new(page.picture.join("\n")), picture);
    frame.render_widget(Paragraph::new(key_lines).block(Block::bordered().title(" keys ")), foot);
    true
}

/// The columns and rows that a page needs, where an area has less.
fn needed(page: &Page, area: Rect) -> Option<(u16, u16)> {
    let columns = area.width.max(LEAST_COLUMNS);
    let borders = 4;
    let keys = key_lines(page, columns - 2).len();
    let rows_with = |picture: u16| {
        let width = columns - 2 - picture;
        let text: usize = page.lines.iter().map(|(_, line)| wrapped_rows(line, width)).sum();
        u16::try_from(text.max(1) + keys + borders).unwrap_or(u16::MAX)
    };
    let room = Size::new(columns - 2, area.height.saturating_sub(u16::try_from(keys + borders).unwrap_or(u16::MAX)));
    let rows = rows_with(picture_width(page, room));
    (area.width < columns || area.height < rows).then_some((columns, rows))
}

/// The rows of a line whose words are wrapped.
fn wrapped_rows(line: &str, width: u16) -> usize {
    let width = usize::from(width.max(1));
    let (mut rows, mut used) = (1, 0);
    for word in line.split_inclusive(' ') {
        let (whole, shown) = (word.chars().count(), word.trim_end().chars().count());
        if used > 0 && used + shown > width {
            rows += 1;
            used = 0;
        }
        // A word longer than a row goes on in the next.
        rows += shown.saturating_sub(1) / width;
        used = if shown > width { shown % width + whole - shown } else { used + whole };
    }
    rows
}

/// The picture's width, if the text keeps as much beside it and all of its rows are shown.
fn picture_width(page: &Page, room: Size) -> u16 {
    let width = page.picture.first().map_or(0, |line| u16::try_from(line.chars().count()).unwrap_or(u16::MAX));
    let fits = room.width >= width.saturating_mul(2) && usize::from(room.height) >= page.picture.len();
    if fits { width } else { 0 }
}

/// As many keys in a line as fit; none is cut.
fn key_lines(page: &Page, width: u16) -> Vec<Line<'static>> {
    let (mut lines, mut used) = (vec![Line::default()], 0);
    for (key, does) in &page.keys {
        let length = key.chars().count() + does.chars().count() + 4;
        if used > 0 && used + length > usize::from(width) {
            lines.push(Line::default());
            used = 0;
        }
        used += length;
        if let Some(line) = lines.last_mut() {
            line.push_span(Span::styled(*key, style(Tone::Strong)));
            line.push_span(Span::raw(format!(" {does}   ")));
        }
    }
    lines
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::default(),
        Tone::Strong => Style::default().add_modifier(Modifier::BOLD),
        Tone::Good => Style::default().fg(Color::Green),
        Tone::Bad => Style::default().fg(Color::Red).add_modifier(Modifier::BOLD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    #[test]
    fn when_the_terminal_is_narrow_expect_every_key_and_line_there() {
        let page = Page {
            title: "calibrate".into(),
            lines: vec![(Tone::Strong, "turn the joint".into()), (Tone::Bad, "no answer".into())],
            picture: vec![],
            keys: vec![("Enter", "accept"), ("Space", "pulses on, off"), ("Esc", "leave")],
        };
        for width in [30, 50, 120] {
            let mut terminal = Terminal::new(TestBackend::new(width, 14)).expect("a test's screen");
            terminal.draw(|frame| assert!(draw_page(frame, &page))).expect("a test's screen");
            let text = terminal.backend().to_string();
            for words in ["calibrate", "turn the joint", "no answer", "accept", "pulses on, off", "leave"] {
                assert!(text.contains(words), "{words} at {width}: {text}");
            }
        }
    }

    #[test]
    fn when_the_terminal_is_too_small_expect_the_size_needed_and_nothing_of_the_page() {
        let page = Page {
            title: "calibrate".into(),
            lines: (0..9).map(|_| (Tone::Plain, "turn the joint until it stands straight".into())).collect(),
            keys: vec![("Enter", "accept"), ("Space", "pulses on, off"), ("Esc", "leave")],
            ..Page::default()
        };
        let shown = |width, height| {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test's screen");
            let mut fits = true;
            terminal.draw(|frame| fits = draw_page(frame, &page)).expect("a test's screen");
            (fits, terminal.backend().to_string().replace('\n', " "))
        };
        for (width, height, needs) in [(80, 13, "needs 80 and 14"), (20, 30, "needs 30 and"), (1, 1, "")] {
            let (fits, text) = shown(width, height);
            let words: String =
                text.split('"').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            assert!(!fits && words.contains(needs) && !words.contains("turn the joint"), "{words}");
        }
        assert!(shown(80, 14).0 && shown(41, 15).0 && shown(30, 25).0);
        assert!(leaves(PageKey::Escape) && leaves(PageKey::Char('q')) && !leaves(PageKey::Up));
    }

    #[test]
    fn when_there_is_a_picture_expect_it_beside_the_text_where_there_is_room() {
        let page = Page {
            lines: vec![(Tone::Plain, "turn the joint until it stands as drawn".into())],
            picture: vec!["o----+----------------------------".into(), "      seen from above, front on top".into()],
            ..Page::default()
        };
        for (width, beside) in [(80, true), (60, false)] {
            let mut terminal = Terminal::new(TestBackend::new(width, 24)).expect("a test's screen");
            terminal.draw(|frame| assert!(draw_page(frame, &page))).expect("a test's screen");
            let text = terminal.backend().to_string();
            assert_eq!(text.contains("o----+"), beside, "{text}");
            assert!(text.contains("turn the joint"), "{text}");
        }
    }
}
