//! Pictures from outside: one executable, which is linked once.

mod closed_form;
mod pictures;
