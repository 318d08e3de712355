//! What a page script is known by: the marker it starts with, or its text but for layout.
//!
//! Owns: reading markers `/* ie-mode-mcp:<name>:<version>:<pure|effect> */` (`replay.md` section 4).
//! Does not own: what a script does.

/// The first comment of a script of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Name of the script.
    pub name: String,
    /// Its version.
    pub version: String,
    /// True if it changes nothing.
    pub pure: bool,
}

/// How a marker begins.
const PREFIX: &str = "ie-mode-mcp:";

impl Marker {
    /// The marker of a script, or of a text that is only its marker; none if it has none.
    pub fn of(script: &str) -> Option<Self> {
        // Something may stand before it, such as `return `, but a mark further inside is the page's.
        let at = script.find(PREFIX).filter(|at| *at < 64)?;
        let rest = &script[at + PREFIX.len()..];
        let end = rest.find(|c: char| c.is_whitespace() || c == '*').unwrap_or(rest.len());
        let mut parts = rest[..end].split(':');
        let (name, version, kind) = (parts.next()?, parts.next()?, parts.next()?);
        let pure = match kind {
            "pure" => true,
            "effect" => false,
            _ => return None,
        };
        (parts.next().is_none() && !name.is_empty()).then(|| Self {
            name: name.to_owned(),
            version: version.to_owned(),
            pure,
        })
    }
}

/// By what a script is compared: its marker, else its text with white space folded.
pub(super) fn identity(script: &str) -> String {
    match Marker::of(script) {
        Some(marker) => format!("{}:{}", marker.name, marker.version),
        None => script.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_read_from_the_first_comment() {
        let marker = Marker::of("/* ie-mode-mcp:probe:3:pure */\nreturn [3];").unwrap();
        assert_eq!((marker.name.as_str(), marker.version.as_str(), marker.pure), ("probe", "3", true));
        assert!(!Marker::of("/* ie-mode-mcp:choose:1:effect */").unwrap().pure);
        assert_eq!(Marker::of("return 1"), None);
        assert_eq!(Marker::of("/* ie-mode-mcp:probe:3:maybe */"), None);
    }

    #[test]
    fn two_bodies_of_one_version_are_the_same_script_and_layout_does_not_matter() {
        assert_eq!(
            identity("/* ie-mode-mcp:probe:3:pure */ a"),
            identity("/* ie-mode-mcp:probe:3:pure */ b")
        );
        assert_eq!(identity("return  1\n"), identity("return 1"));
        assert_ne!(identity("return 1"), identity("return 2"));
    }
}
