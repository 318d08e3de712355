//! What tools share of a page. Owns: what is remembered of it between calls. Does not own: commands.

/// What the server remembers of the page while the session lives.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Address known last.
    pub url: Option<String>,
    /// Title known last.
    pub title: Option<String>,
    /// Window handles in the order in which they were first seen.
    pub windows: Vec<String>,
    /// Handle of the current window, if known.
    pub window: Option<String>,
}
