//! XPath 1.0 over the tree.
//!
//! Owns: the glue to `xpath-eval`, the guard in front of its recursive parser. Does not own: wording of the
//! driver's errors (`find`).

use super::document::Document;
use super::node::{NodeData, NodeId};
use std::cell::OnceCell;
use std::cmp::Ordering;
use xpath_eval::{EvaluationContext, ExpandedName, Node as XNode, NodeKind, Value};

/// Deepest nesting of brackets, longest text: `xpath-eval` recurses, and a stack overflow would end the
/// process.
const MAX_NESTING: usize = 100;
const MAX_LENGTH: usize = 64 * 1024;

/// Result of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum XPathValue {
    /// A node set in document order; an attribute is its owner and its name.
    Nodes(Vec<(NodeId, Option<String>)>),
    /// A boolean.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
}

/// Why an expression has no result, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XPathError(pub String);

impl std::fmt::Display for XPathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for XPathError {}

/// Evaluates an expression with `context` as context node.
///
/// # Errors
/// Syntax, unknown prefix, function or variable, or nesting beyond what is safe.
pub fn evaluate(document: &Document, expression: &str, context: NodeId) -> Result<XPathValue, XPathError> {
    guard(expression)?;
    let parsed = xpath_eval::parse(expression).map_err(|error| XPathError(error.to_string()))?;
    let tree = Tree { document, order: OnceCell::new() };
    let context = EvaluationContext::new(At { tree: &tree, id: context, attribute: 0 });
    let value = xpath_eval::evaluate(&parsed, &context).map_err(|error| XPathError(error.to_string()))?;
    Ok(match value {
        Value::Boolean(value) => XPathValue::Boolean(value),
        Value::Number(value) => XPathValue::Number(value),
        Value::String(value) => XPathValue::Text(value),
        Value::NodeSet(mut nodes) => {
            if nodes.len() > 1 {
                nodes.sort_by(|a, b| a.document_order(*b));
            }
            XPathValue::Nodes(nodes.into_iter().map(|node| (node.id, node.attribute_name())).collect())
        }
    })
}

/// Refuses what would overflow the stack, and prefixes, which name nothing in HTML.
fn guard(expression: &str) -> Result<(), XPathError> {
    if expression.len() > MAX_LENGTH {
        return Err(XPathError(format!("expression is longer than {MAX_LENGTH} bytes")));
    }
    let mut depth = 0_usize;
    let mut quote = None;
    let mut minus_run = 0_usize;
    let bytes = expression.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        if let Some(open) = quote {
            if byte == open {
                quote = None;
            }
            continue;
        }
        minus_run = if byte == b'-' {
            minus_run + 1
        } else if byte == b' ' {
            minus_run
        } else {
            0
        };
        match byte {
            b'"' | b'\'' => quote = Some(byte),
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b':' => {
                let around = (at > 0 && bytes[at - 1] == b':') || bytes.get(at + 1) == Some(&b':');
                if !around {
                    return Err(XPathError("NamespaceError: the prefix is not bound".to_owned()));
                }
            }
            _ => {}
        }
        if depth > MAX_NESTING || minus_run > MAX_NESTING {
            return Err(XPathError(format!("expression nests deeper than {MAX_NESTING}")));
        }
    }
    Ok(())
}

struct Tree<'d> {
    document: &'d Document,
    /// Place in document order by node index; made at the first comparison.
    order: OnceCell<Vec<u32>>,
}

impl Tree<'_> {
    fn place(&self, id: NodeId) -> u32 {
        let order = self.order.get_or_init(|| {
            let mut order = vec![0; self.document.nodes.len()];
            for (place, id) in (1..).zip(self.document.descendants(self.document.root())) {
                order[id.index()] = place;
            }
            order
        });
        order[id.index()]
    }
}

/// A node, or its n-th attribute (counted from 1).
#[derive(Clone, Copy)]
struct At<'a> {
    tree: &'a Tree<'a>,
    id: NodeId,
    attribute: u32,
}

impl PartialEq for At<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.attribute) == (other.id, other.attribute)
    }
}

impl Eq for At<'_> {}

impl<'a> At<'a> {
    fn node(self, id: NodeId) -> Self {
        Self { tree: self.tree, id, attribute: 0 }
    }

    fn attribute_data(self) -> Option<&'a super::node::Attribute> {
        let index = (self.attribute as usize).checked_sub(1)?;
        self.tree.document.element(self.id)?.attributes().get(index)
    }

    fn attribute_name(self) -> Option<String> {
        self.attribute_data().map(|attribute| attribute.name.to_string())
    }
}

impl<'a> XNode<'a> for At<'a> {
    fn kind(self) -> NodeKind {
        if self.attribute > 0 {
            return NodeKind::Attribute;
        }
        match self.tree.document.get(self.id).map(|node| node.data()) {
            Some(NodeData::Element(_)) => NodeKind::Element,
            Some(NodeData::Text(_)) => NodeKind::Text,
            Some(NodeData::Comment(_)) => NodeKind::Comment,
            Some(NodeData::Instruction(_)) => NodeKind::ProcessingInstruction,
            _ => NodeKind::Root,
        }
    }

    fn parent(self) -> Option<Self> {
        if self.attribute > 0 {
            return Some(self.node(self.id));
        }
        self.tree.document.parent(self.id).map(|id| self.node(id))
    }

    fn children(self) -> impl Iterator<Item = Self> + 'a {
        let document = self.tree.document;
        let first = if self.attribute > 0 { None } else { document.first_child(self.id) };
        std::iter::successors(first, move |&id| document.next_sibling(id))
            .filter(move |&id| {
                !matches!(document.get(id).map(|node| node.data()), Some(NodeData::Doctype(_)))
            })
            .map(move |id| self.node(id))
    }

    fn attributes(self) -> impl Iterator<Item = Self> + 'a {
        let count = match self.tree.document.element(self.id) {
            Some(element) if self.attribute == 0 => element.attributes().len() as u32,
            _ => 0,
        };
        (1..=count).map(move |attribute| Self { attribute, ..self })
    }

    fn namespaces(self) -> impl Iterator<Item = Self> + 'a {
        std::iter::empty()
    }

    fn expanded_name(self) -> Option<ExpandedName> {
        let local_name = match self.attribute_data() {
            Some(attribute) => attribute.name.to_string(),
            None => match self.tree.document.get(self.id)?.data() {
                NodeData::Element(element) => element.name.to_string(),
                NodeData::Instruction(parts) => parts.0.clone(),
                _ => return None,
            },
        };
        Some(ExpandedName { namespace_uri: None, local_name })
    }

    fn has_expanded_name(self, namespace_uri: Option<&str>, local_name: &str) -> bool {
        if namespace_uri.is_some() {
            return false;
        }
        match self.attribute_data() {
            Some(attribute) => str::eq_ignore_ascii_case(&attribute.name, local_name),
            None => match self.tree.document.get(self.id).map(|node| node.data()) {
                Some(NodeData::Element(element)) => str::eq_ignore_ascii_case(&element.name, local_name),
                Some(NodeData::Instruction(parts)) => parts.0 == local_name,
                _ => false,
            },
        }
    }

    fn string_value(self) -> String {
        match self.attribute_data() {
            Some(attribute) => attribute.value.clone(),
            None => self.tree.document.text_content(self.id),
        }
    }

    fn with_string_value<R>(self, f: impl FnOnce(&str) -> R) -> R {
        if let Some(attribute) = self.attribute_data() {
            return f(&attribute.value);
        }
        match self.tree.document.character_data(self.id) {
            Some(data) => f(data),
            None => f(&self.string_value()),
        }
    }

    fn document_order(self, other: Self) -> Ordering {
        (self.tree.place(self.id), self.attribute).cmp(&(self.tree.place(other.id), other.attribute))
    }

    fn is_id_attribute(self) -> bool {
        self.attribute_data().is_some_and(|attribute| &*attribute.name == "id")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: &str) {
        let document = Document::parse(
            "http://h.test/",
            "<!doctype html><title>t</title><body><table id=T1><tr><td id=a>x<td id=b>  検索 </table>\
             <table><tr id=r><td id=c><a id=l href=u>one</a></table><input id=i name=x value=v><!--c-->",
        );
        let found = match evaluate(&document, expression, document.root()) {
            Err(_) => "invalid".to_owned(),
            Ok(XPathValue::Nodes(nodes)) => nodes
                .iter()
                .map(|(id, attribute)| match attribute {
                    Some(name) => format!("@{name}"),
                    None => document.attribute(*id, "id").unwrap_or("-").to_owned(),
                })
                .collect::<Vec<_>>()
                .join(" "),
            Ok(XPathValue::Boolean(value)) => value.to_string(),
            Ok(XPathValue::Number(value)) => value.to_string(),
            Ok(XPathValue::Text(value)) => format!("'{value}'"),
        };
        assert_eq!(found, expected, "{expression}");
    }

    #[test]
    fn expressions_find_what_browsers_find() {
        for (expression, expected) in [
            ("//input[@name='x']", "i"),
            ("//INPUT[@NAME='x']", "i"),
            ("//table[2]/tbody/tr[1]/td[1]", "c"),
            ("(//td)[last()]", "c"),
            ("//td[last()]", "b c"),
            ("//*[contains(normalize-space(.),'検索')][self::td]", "b"),
            ("//a/ancestor::*[1]", "c"),
            ("//td[@id='a']/following-sibling::td", "b"),
            ("//a | //input", "l i"),
            ("id('l')", "l"),
            ("//a/@href", "@href"),
            ("//a/text()", "-"),
            ("count(//td)", "3"),
            ("string(//a)", "'one'"),
            ("//td = 'x'", "true"),
            ("/html/body/table[1]", "T1"),
            ("//nosuch", ""),
            ("//x:a", "invalid"),
            ("//a[", "invalid"),
            ("", "invalid"),
            ("$v", "invalid"),
        ] {
            check(expression, expected);
        }
    }

    #[test]
    fn endless_nesting_is_refused_before_it_overflows_the_stack() {
        check(&"(".repeat(100_000), "invalid");
        check(&"-".repeat(50_000), "invalid");
    }
}
