//! Which crate may depend on which.

use super::sources::{lines_naming, none, root};

fn dependencies(folder: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    ["dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|table| manifest.get(table)?.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect()
}

#[test]
fn server_and_fake_depend_on_no_crate_of_ours() {
    for folder in ["server", "fake-iedriver"] {
        let ours: Vec<String> = dependencies(folder)
            .into_iter()
            .filter(|name| matches!(name.as_str(), "ie-mode-mcp" | "fake-iedriver" | "harness"))
            .collect();
        none(&format!("{folder} depends on a crate of ours"), ours);
    }
}

#[test]
fn the_fake_names_neither_rmcp_nor_fantoccini() {
    none(
        "fake-iedriver is a driver, not a client",
        lines_naming("fake-iedriver/src", &["rmcp", "fantoccini"], &[]),
    );
    let clients = dependencies("fake-iedriver")
        .into_iter()
        .filter(|name| matches!(name.as_str(), "rmcp" | "fantoccini"));
    none("fake-iedriver depends on a client", clients.collect());
}
