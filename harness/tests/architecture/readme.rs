//! The README's tables are what the code says. `UPDATE_README=1` writes them.

use super::sources::root;
use ie_mode_mcp::catalogue;
use std::fmt::Write;

fn tools() -> String {
    let mut table = String::from("| tool | does | arguments |\n| --- | --- | --- |\n");
    for spec in catalogue().tools {
        let schema = (spec.input)();
        let required: Vec<&str> = schema
            .get("required")
            .and_then(|r| r.as_array())
            .into_iter()
            .flatten()
            .filter_map(|r| r.as_str())
            .collect();
        let arguments: Vec<String> = schema
            .get("properties")
            .and_then(|properties| properties.as_object())
            .into_iter()
            .flat_map(|properties| properties.keys())
            .map(|name| if required.contains(&name.as_str()) { format!("**{name}**") } else { name.clone() })
            .collect();
        let arguments = if arguments.is_empty() { "–".to_owned() } else { arguments.join(", ") };
        writeln!(table, "| `{}` | {} | {arguments} |", spec.name, spec.description).unwrap();
    }
    table
}

fn errors() -> String {
    let mut table = String::from("| code | meaning | what to do |\n| --- | --- | --- |\n");
    for row in catalogue().errors {
        writeln!(table, "| `{}` | {} | {} |", row.name, row.meaning, row.action).unwrap();
    }
    table
}

fn variables() -> String {
    let mut table = String::from("| variable | flag | meaning | unset |\n| --- | --- | --- | --- |\n");
    for variable in catalogue().variables {
        writeln!(
            table,
            "| `{}` | `--{}` | {} | {} |",
            variable.name, variable.flag, variable.meaning, variable.default
        )
        .unwrap();
    }
    table
}

/// The text between the two marks of a generated part.
fn replaced(text: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- generated: {name} -->\n"), format!("<!-- end: {name} -->"));
    let from = text.find(&begin).unwrap_or_else(|| panic!("README.md has no {begin}")) + begin.len();
    let to = text.find(&end).unwrap_or_else(|| panic!("README.md has no {end}"));
    format!("{}{table}{}", &text[..from], &text[to..])
}

#[test]
fn readme_tables_are_generated_from_the_code() {
    let file = root().join("README.md");
    let old = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
    let mut new = replaced(&old, "tools", &tools());
    new = replaced(&new, "errors", &errors());
    new = replaced(&new, "variables", &variables());
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&file, &new).unwrap();
        return;
    }
    assert!(
        old == new,
        "README.md is behind the code: run UPDATE_README=1 cargo test -p harness --test architecture"
    );
}
