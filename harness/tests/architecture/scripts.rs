//! Page scripts: ES3, marked, closed against the page. Document modes 5 to 8 know no later syntax.

use super::sources::{Source, below, none};
use tree_sitter::{Node, Parser};

/// Kinds of nodes that ES3 programs consist of; any other named kind is later syntax.
const ES3: &[&str] = &[
    "program",
    "comment",
    "statement_block",
    "empty_statement",
    "expression_statement",
    "variable_declaration",
    "variable_declarator",
    "function_declaration",
    "function_expression",
    "formal_parameters",
    "return_statement",
    "if_statement",
    "else_clause",
    "for_statement",
    "for_in_statement",
    "while_statement",
    "do_statement",
    "break_statement",
    "continue_statement",
    "switch_statement",
    "switch_body",
    "switch_case",
    "switch_default",
    "try_statement",
    "catch_clause",
    "finally_clause",
    "throw_statement",
    "with_statement",
    "labeled_statement",
    "statement_identifier",
    "identifier",
    "property_identifier",
    "this",
    "null",
    "true",
    "false",
    "undefined",
    "number",
    "string",
    "string_fragment",
    "escape_sequence",
    "regex",
    "regex_pattern",
    "regex_flags",
    "array",
    "object",
    "pair",
    "arguments",
    "call_expression",
    "new_expression",
    "member_expression",
    "subscript_expression",
    "assignment_expression",
    "augmented_assignment_expression",
    "unary_expression",
    "binary_expression",
    "ternary_expression",
    "update_expression",
    "sequence_expression",
    "parenthesized_expression",
];

/// Reserved in ES3: not allowed after a dot nor as a member's name.
const RESERVED: &[&str] = &[
    "abstract",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "function",
    "goto",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "volatile",
    "while",
    "with",
];

fn later_syntax(path: &str, text: &str) -> Vec<String> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).unwrap();
    // The driver wraps a script into a function, so that `return` may stand at its top.
    let wrapped = format!("(function () {{{text}\n}})");
    let tree = parser.parse(&wrapped, None).unwrap();
    let mut findings = Vec::new();
    walk(tree.root_node(), &mut |node| {
        let what = judge(node, &wrapped);
        if let Some(what) = what {
            findings.push(format!("{path}:{}: {what}", node.start_position().row + 1));
        }
    });
    findings
}

fn judge(node: Node<'_>, text: &str) -> Option<String> {
    let content = &text[node.byte_range()];
    if node.is_error() || node.is_missing() {
        return Some(format!("is not JavaScript: {}", content.lines().next().unwrap_or_default()));
    }
    if node.is_named() && !ES3.contains(&node.kind()) {
        return Some(format!("{} is later than ES3", node.kind()));
    }
    match node.kind() {
        "property_identifier" if RESERVED.contains(&content) => {
            Some(format!("{content} is reserved in ES3: write it as [\"{content}\"]"))
        }
        "let" | "const" | "=>" | "of" | "**" | "**=" | "??" | "?." | "&&=" | "||=" | "??=" | "async"
        | "await" => Some(format!("{content} is later than ES3")),
        "array" | "object" | "arguments" => {
            let last =
                node.child_count().checked_sub(2).and_then(|n| node.child(u32::try_from(n).unwrap()))?;
            (last.kind() == ",").then(|| "a comma before the closing bracket".to_owned())
        }
        _ => None,
    }
}

fn walk<'t>(node: Node<'t>, visit: &mut impl FnMut(Node<'t>)) {
    visit(node);
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        walk(child, visit);
    }
}

fn scripts() -> Vec<Source> {
    below("server/src/script", ".js")
}

#[test]
fn every_page_script_is_es3() {
    let findings = scripts().iter().flat_map(|file| later_syntax(&file.path, &file.text)).collect();
    none("a page script that old document modes cannot read", findings);
}

#[test]
fn every_page_script_carries_its_marker() {
    let marker = regex::Regex::new(r"^/\* ie-mode-mcp:([a-z-]+):([0-9]+):(pure|effect) \*/").unwrap();
    let findings = scripts()
        .iter()
        .filter(|file| !file.path.contains("/part/"))
        .filter(|file| !marker.is_match(&file.text))
        .map(|file| {
            format!("{} does not start with /* ie-mode-mcp:<name>:<version>:<pure|effect> */", file.path)
        })
        .collect();
    none("a page script without its marker", findings);
}

#[test]
fn later_syntax_is_found() {
    for text in [
        "let a = 1;",
        "var f = () => 1;",
        "var a = [1,];",
        "var a = {b: 1,};",
        "a.default = 1;",
        "var a = `b`;",
        "for (var a of b) {}",
        "var {a} = b;",
        "class A {}",
        "f(...a);",
        "var a = b ?? c;",
        "var a = {get b() { return 1; }};",
        "a?.b;",
        "var a = {b};",
        "var a = {catch: 1};",
        "const a = 1;",
    ] {
        assert!(!later_syntax("a.js", text).is_empty(), "{text} passed as ES3");
    }
    assert!(later_syntax("a.js", "for (var a in b) { try { c[a] = /x/g.test(a) ? [1, 2] : {d: 1}; } catch (e) { continue; } } return a;").is_empty());
}
