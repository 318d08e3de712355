//! Paths for a file field. Owns: refusing what the driver would hang on or answer with a misleading success
//! (`reference/iedriver-wire.md` section 5.8). Does not own: the field.

use crate::error::ToolError;
use std::path::Path;

/// Checks the paths of a text, one a line. Whether they exist is checked only where the driver runs on this machine.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the path.
pub fn check(text: &str, multiple: bool, local: bool) -> Result<(), ToolError> {
    let paths: Vec<&str> = text.split('\n').filter(|path| !path.is_empty()).collect();
    if paths.is_empty() {
        return Err(ToolError::invalid("A file field needs the absolute path of a file as text."));
    }
    if paths.len() > 1 && !multiple {
        return Err(ToolError::invalid("This file field takes one file only."));
    }
    for path in paths {
        if local && !Path::new(path).is_absolute() {
            return Err(ToolError::invalid(format!("The path is not absolute: {path}")));
        }
        if local && !Path::new(path).is_file() {
            return Err(ToolError::invalid(format!("There is no such file: {path}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_absolute_files_pass_on_the_drivers_machine() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        assert!(check(path, false, true).is_ok());
        assert!(check(&format!("{path}\n{path}"), false, true).is_err());
        assert!(check(&format!("{path}\n{path}"), true, true).is_ok());
        for odd in ["", "relative.txt", "/no/such/file", file.path().parent().unwrap().to_str().unwrap()] {
            assert!(check(odd, false, true).is_err(), "{odd}");
        }
        assert!(check("C:\\files\\elsewhere.txt", false, false).is_ok());
    }
}
