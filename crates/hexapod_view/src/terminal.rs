use std::io::{self, IsTerminal, Stdout, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
    KeyboardEnhancementFlags as Flags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;

/// Whether a guard holds the terminal. There is one terminal per process, so there is one flag.
static HELD: AtomicBool = AtomicBool::new(false);
static PANIC_HOOK: Once = Once::new();

/// Whether the view can run here: both standard input and standard output are a terminal that can place text.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
        && io::stdout().is_terminal()
        && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}

/// Standard output while the terminal is held. Afterwards nothing is written: neither the rest of a picture over the
/// message of a panic, nor ratatui's parting words, whose failure on a closed terminal would be a panic of its own.
#[derive(Debug)]
struct Screen(Stdout);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if HELD.load(Ordering::SeqCst) { self.0.write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if HELD.load(Ordering::SeqCst) { self.0.flush() } else { Ok(()) }
    }
}

/// Holds the terminal in raw mode on its alternate screen; gives it back as it was when dropped, and before the
/// message of a panic in any thread is printed.
#[derive(Debug)]
pub struct TerminalGuard {
    terminal: ratatui::Terminal<CrosstermBackend<Screen>>,
}

impl TerminalGuard {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When there is no terminal, when it is held already, or when it refuses.
    pub fn enter() -> io::Result<Self> {
        if !is_terminal() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "standard input and output are not a terminal"));
        }
        if HELD.swap(true, Ordering::SeqCst) {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "the terminal is held already"));
        }
        PANIC_HOOK.call_once(restore_on_panic);
        take().inspect_err(|_| restore())
    }

    /// Whether the terminal is still held; a panic anywhere in the process gives it back.
    pub fn is_held(&self) -> bool {
        HELD.load(Ordering::SeqCst)
    }

    /// Draws one frame.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn draw(&mut self, render: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        self.terminal.draw(render).map(drop)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore();
    }
}

fn take() -> io::Result<TerminalGuard> {
    enable_raw_mode()?;
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, EnableFocusChange, EnableBracketedPaste, cursor::Hide)?;
    if knows_keyboard_protocol() {
        // All four are needed to hear a letter being let go.
        let flags = Flags::DISAMBIGUATE_ESCAPE_CODES
            | Flags::REPORT_EVENT_TYPES
            | Flags::REPORT_ALTERNATE_KEYS
            | Flags::REPORT_ALL_KEYS_AS_ESCAPE_CODES;
        execute!(out, PushKeyboardEnhancementFlags(flags))?;
    }
    // Not ratatui's clear: it asks where the cursor is, and not every terminal answers.
    execute!(out, Clear(ClearType::All))?;
    Ok(TerminalGuard { terminal: ratatui::Terminal::new(CrosstermBackend::new(Screen(out)))? })
}

/// The keyboard protocol is asked for without a question first: a terminal without it ignores the request, and the
/// answer of one that gives none would be waited for for two seconds. The Linux console is left in peace.
fn knows_keyboard_protocol() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "linux")
}

/// Gives the terminal back, once; errors have nobody left to tell.
fn restore() {
    if !HELD.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    if knows_keyboard_protocol() {
        let _ = execute!(out, PopKeyboardEnhancementFlags);
    }
    let _ = execute!(out, DisableBracketedPaste, DisableFocusChange, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
    let _ = out.flush();
}

fn restore_on_panic() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restore();
        previous(info);
    }));
}
