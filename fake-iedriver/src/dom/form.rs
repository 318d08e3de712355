//! State of form controls.
//!
//! Owns: what differs from a control's defaults. Does not own: submission.

/// What a person or a script did to a control; none of it is visible in attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlState {
    /// Current text of a text field or text area.
    pub value: Option<String>,
    /// Check box or radio button.
    pub checked: Option<bool>,
    /// Option.
    pub selected: Option<bool>,
    /// Check box drawn as neither.
    pub indeterminate: bool,
    /// Chosen files of a file field, absolute paths.
    pub files: Vec<String>,
}
