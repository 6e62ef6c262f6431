//! A page of text with keys in the terminal, for guided tools.

use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers};
use hexapod_calibration::{Page, Tone};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
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

/// Shows pages and passes keys on, until `take` returns false or `stop` says so. The terminal is given back on return.
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
        guard.draw(|frame| draw_page(frame, &page))?;
        let next_frame = Instant::now() + FRAME;
        while let Some(inputs) = keyboard.wait(next_frame)? {
            for key in inputs.iter().filter_map(page_key) {
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

/// Draws a page.
pub fn draw_page(frame: &mut Frame, page: &Page) {
    let key_lines = key_lines(page, frame.area().width.saturating_sub(2));
    let height = u16::try_from(key_lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let [body, foot] = Layout::vertical([Constraint::Min(3), Constraint::Length(height)]).areas(frame.area());
    let lines: Vec<Line> = page.lines.iter().map(|(tone, text)| Line::styled(text.as_str(), style(*tone))).collect();
    let block = Block::bordered().title(Span::styled(format!(" {} ", page.title), style(Tone::Strong)));
    let inner = block.inner(body);
    frame.render_widget(block, body);
    let width = picture_width(page, inner.width);
    let [text, picture] = Layout::horizontal([Constraint::Min(0), Constraint::Length(width)]).areas(inner);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), text);
    frame.render_widget(Paragraph::new(page.picture.join("\n")), picture);
    frame.render_widget(Paragraph::new(key_lines).block(Block::bordered().title(" keys ")), foot);
}

/// The picture's width, if the text keeps as much beside it.
fn picture_width(page: &Page, room: u16) -> u16 {
    let width = page.picture.first().map_or(0, |line| u16::try_from(line.chars().count()).unwrap_or(u16::MAX));
    if room >= width.saturating_mul(2) { width } else { 0 }
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
            terminal.draw(|frame| draw_page(frame, &page)).expect("a test's screen");
            let text = terminal.backend().to_string();
            for words in ["calibrate", "turn the joint", "no answer", "accept", "pulses on, off", "leave"] {
                assert!(text.contains(words), "{words} at {width}: {text}");
            }
        }
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
            terminal.draw(|frame| draw_page(frame, &page)).expect("a test's screen");
            let text = terminal.backend().to_string();
            assert_eq!(text.contains("o----+"), beside, "{text}");
            assert!(text.contains("turn the joint"), "{text}");
        }
    }
}
