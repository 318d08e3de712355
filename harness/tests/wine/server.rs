//! `ie-mode-mcp.exe` over its pipes.
use crate::place::Place;
use libtest_mimic::Trial;
pub(crate) fn trials(_place: &'static Place) -> Vec<Trial> {
    Vec::new()
}
