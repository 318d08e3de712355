//! Names of the running programs. Owns: asking Windows for them. Does not own: what they mean.

use std::process::Stdio;
use std::time::Duration;

/// Image names in lower case; None where they cannot be listed.
pub(super) async fn probe() -> Option<Vec<String>> {
    if !cfg!(windows) {
        return None;
    }
    let mut command = tokio::process::Command::new("tasklist");
    command.args(["/FO", "CSV", "/NH"]).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(10), command.output()).await.ok()?.ok()?;
    Some(names(&String::from_utf8_lossy(&output.stdout)))
}

/// The first column of a table in CSV.
fn names(table: &str) -> Vec<String> {
    table
        .lines()
        .filter_map(|line| Some(line.strip_prefix('"')?.split('"').next()?.to_ascii_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_the_name() {
        let table = "\"System\",\"4\",\"Services\",\"0\",\"144 K\"\r\n\"IEDriverServer.exe\",\"9\",\"Console\",\"1\",\"9 K\"\r\n";
        assert_eq!(names(table), ["system", "iedriverserver.exe"]);
    }
}
