//! HTML into the tree.
//!
//! Owns: the parser in pieces (scripts and `document.write` between them), fragments for `innerHTML`, the
//! cap on nesting. Does not own: running scripts, decoding bytes.

use super::document::Document;
use super::mode::Quirks;
use super::node::{Attribute, Doctype, Element, Namespace, NodeData, NodeId};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, EndTag, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{
    ElemName, ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink,
};
use html5ever::{
    Attribute as HtmlAttribute, LocalName, Namespace as HtmlNamespace, QualName, TokenizerResult,
};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Open elements at once. The tree algorithm looks through all of them for many tags, so that without a
/// cap a page of 100,000 nested elements would take minutes; deeper elements become siblings, as in
/// other browsers.
const MAX_OPEN: usize = 512;

/// Why the parser stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All input so far is in the tree.
    Done,
    /// This `script` element was closed: run it, [`Parser::write`] what it wrote, go on.
    Script(NodeId),
}

/// A parser that stops after every script.
///
/// The document is lent for each step only, so that scripts own it between the steps.
pub struct Parser {
    tokenizer: Tokenizer<Gate>,
    input: BufferQueue,
}

/// Input that waits while a script writes.
pub struct Held(BufferQueue);

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parser")
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A parser for a whole document, with scripting on (`noscript` holds text).
    pub fn new() -> Self {
        let builder = TreeBuilder::new(Sink::new(None), TreeBuilderOpts::default());
        let tokenizer = Tokenizer::new(Gate::new(builder), TokenizerOpts::default());
        Self { tokenizer, input: BufferQueue::default() }
    }

    /// Adds text from the network at the end.
    pub fn push(&mut self, text: &str) {
        self.input.push_back(StrTendril::from_slice(text));
    }

    /// Adds text at the insertion point: what `document.write` wrote while a script ran.
    pub fn write(&mut self, text: &str) {
        self.input.push_front(StrTendril::from_slice(text));
    }

    /// Takes the input behind the insertion point away, so that what a script writes is parsed at once
    /// and nothing else; [`Parser::release`] gives it back.
    pub fn hold(&mut self) -> Held {
        Held(std::mem::take(&mut self.input))
    }

    /// Gives back what [`Parser::hold`] took, behind what is left of the written text.
    pub fn release(&mut self, held: Held) {
        while let Some(chunk) = held.0.pop_front() {
            self.input.push_back(chunk);
        }
    }

    /// Parses until a script ends or the input is used up.
    pub fn step(&mut self, document: &mut Document) -> Step {
        self.lend(document, |parser| {
            loop {
                match parser.tokenizer.feed(&parser.input) {
                    TokenizerResult::Script(id) => return Step::Script(id),
                    TokenizerResult::Done => return Step::Done,
                    TokenizerResult::EncodingIndicator(_) => {}
                }
            }
        })
    }

    /// Ends the document: closes what is open. Scripts met here are not reported any more.
    pub fn finish(mut self, document: &mut Document) {
        while self.step(document) != Step::Done {}
        self.lend(document, |parser| parser.tokenizer.end());
    }

    fn lend<R>(&mut self, document: &mut Document, run: impl FnOnce(&mut Self) -> R) -> R {
        self.tokenizer.sink.builder.sink.document.replace(std::mem::take(document));
        let result = run(self);
        *document = self.tokenizer.sink.builder.sink.document.take();
        document.touch();
        result
    }
}

impl Document {
    /// Parses a whole page without running scripts.
    pub fn parse(url: &str, html: &str) -> Self {
        let mut document = Self::new(url, super::Mode::default());
        let mut parser = Parser::new();
        parser.push(html);
        parser.finish(&mut document);
        document.decide_mode(None, None);
        document
    }

    /// Parses `html` as the content of `context`, into a new detached fragment. Scripts in it never run.
    pub fn parse_fragment(&mut self, context: NodeId, html: &str) -> NodeId {
        let holder = self.create(NodeData::Document);
        let sink = Sink::new(Some(holder));
        sink.document.replace(std::mem::take(self));
        let form = {
            let document = sink.document.borrow();
            std::iter::once(context).chain(document.ancestors(context)).find(|&id| document.is(id, "form"))
        };
        let opts = TreeBuilderOpts::default();
        let builder = TreeBuilder::new_for_fragment(sink, context, form, opts);
        let initial_state = Some(builder.tokenizer_state_for_context_elem(true));
        let tokenizer =
            Tokenizer::new(Gate::new(builder), TokenizerOpts { initial_state, ..Default::default() });
        let mut parser = Parser { tokenizer, input: BufferQueue::default() };
        parser.push(html);
        while !matches!(parser.tokenizer.feed(&parser.input), TokenizerResult::Done) {}
        parser.tokenizer.end();
        *self = parser.tokenizer.sink.builder.sink.document.take();
        self.touch();
        let fragment = self.create_fragment();
        if let Some(html) = self.first_child(holder) {
            while let Some(child) = self.first_child(html) {
                self.link(fragment, child, None);
            }
        }
        fragment
    }

    /// Replaces the children of an element by parsed `html` (`innerHTML`).
    pub fn set_inner_html(&mut self, id: NodeId, html: &str) {
        let fragment = self.parse_fragment(id, html);
        let target = self.element(id).and_then(|element| element.content).unwrap_or(id);
        self.remove_children(target);
        while let Some(child) = self.first_child(fragment) {
            self.link(target, child, None);
        }
    }
}

/// Stands between tokenizer and tree builder to cap the number of open elements.
struct Gate {
    builder: TreeBuilder<NodeId, Sink>,
    /// End tags to swallow, by name: their start tags were closed at once.
    closed_early: RefCell<HashMap<LocalName, u32>>,
}

impl Gate {
    fn new(builder: TreeBuilder<NodeId, Sink>) -> Self {
        Self { builder, closed_early: RefCell::default() }
    }
}

impl TokenSink for Gate {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let TagToken(tag) = &token else { return self.builder.process_token(token, line) };
        let name = tag.name.clone();
        match tag.kind {
            StartTag => {
                self.builder.sink.made.set(None);
                let result = self.builder.process_token(token, line);
                let normal = matches!(result, TokenSinkResult::Continue);
                if normal && self.builder.sink.is_too_deep() {
                    let close = Tag {
                        kind: EndTag,
                        name: name.clone(),
                        self_closing: false,
                        attrs: Vec::new(),
                        had_duplicate_attributes: false,
                    };
                    *self.closed_early.borrow_mut().entry(name).or_default() += 1;
                    return self.builder.process_token(TagToken(close), line);
                }
                result
            }
            EndTag => {
                if let Some(count) = self.closed_early.borrow_mut().get_mut(&name)
                    && *count > 0
                {
                    *count -= 1;
                    return TokenSinkResult::Continue;
                }
                self.builder.process_token(token, line)
            }
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Writes what the tree builder decides into the document it was lent.
struct Sink {
    document: RefCell<Document>,
    /// Stands for the document while a fragment is parsed.
    holder: Option<NodeId>,
    /// The element that was made last and takes children.
    made: Cell<Option<NodeId>>,
}

impl Sink {
    fn new(holder: Option<NodeId>) -> Self {
        Self { document: RefCell::default(), holder, made: Cell::new(None) }
    }

    /// True if the element made last lies deeper than elements may. The tree is asked because the tree
    /// builder does not tell of every element it closes.
    fn is_too_deep(&self) -> bool {
        let document = self.document.borrow();
        self.made.get().is_some_and(|made| document.ancestors(made).nth(MAX_OPEN - 1).is_some())
    }

    fn insert(&self, parent: NodeId, child: NodeOrText<NodeId>, before: Option<NodeId>) {
        let mut document = self.document.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => document.link(parent, node, before),
            NodeOrText::AppendText(text) => {
                let previous = match before {
                    Some(next) => document.previous_sibling(next),
                    None => document.last_child(parent),
                };
                if let Some(NodeData::Text(data)) =
                    previous.and_then(|id| document.get_mut(id)).map(|node| &mut node.data)
                {
                    data.push_str(&text);
                    return;
                }
                let node = document.create(NodeData::Text(text.to_string()));
                document.link(parent, node, before);
            }
        }
    }
}

fn attributes(attrs: Vec<HtmlAttribute>) -> Vec<Attribute> {
    attrs
        .into_iter()
        .map(|a| {
            let name = match &a.name.prefix {
                Some(prefix) => LocalName::from(format!("{prefix}:{}", a.name.local)),
                None => a.name.local,
            };
            Attribute { name, value: a.value.to_string() }
        })
        .collect()
}

/// Name of an element, lent to the tree builder.
#[derive(Debug)]
struct Name {
    namespace: HtmlNamespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &HtmlNamespace {
        &self.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = ();
    type ElemName<'a> = Name;

    fn finish(self) {}

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.holder.unwrap_or_else(|| self.document.borrow().root())
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        let document = self.document.borrow();
        match document.element(*target) {
            Some(element) => Name { namespace: element.namespace.to_html(), local: element.name.clone() },
            None => Name { namespace: HtmlNamespace::default(), local: LocalName::default() },
        }
    }

    fn create_element(&self, name: QualName, attrs: Vec<HtmlAttribute>, flags: ElementFlags) -> NodeId {
        let mut document = self.document.borrow_mut();
        let void = VOID.contains(&&*name.local);
        let mut element = Element::new(name.local, Namespace::from_html(&name.ns), attributes(attrs));
        if flags.template {
            element.content = Some(document.create(NodeData::Fragment));
        }
        let made = document.create(NodeData::Element(Box::new(element)));
        if !void {
            self.made.set(Some(made));
        }
        made
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.document.borrow_mut().create(NodeData::Comment(text.to_string()))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        let parts = Box::new((target.to_string(), data.to_string()));
        self.document.borrow_mut().create(NodeData::Instruction(parts))
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        prev_element: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        let parent = self.document.borrow().parent(*element);
        match parent {
            Some(parent) => self.insert(parent, child, Some(*element)),
            None => self.insert(*prev_element, child, None),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        let doctype = Doctype {
            name: name.to_string(),
            public_id: public_id.to_string(),
            system_id: system_id.to_string(),
        };
        let node = self.document.borrow_mut().create(NodeData::Doctype(Box::new(doctype)));
        self.insert(self.get_document(), NodeOrText::AppendNode(node), None);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.document.borrow().element(*target).and_then(|element| element.content).unwrap_or(*target)
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        if self.holder.is_none() {
            self.document.borrow_mut().quirks = match mode {
                QuirksMode::Quirks => Quirks::Full,
                QuirksMode::LimitedQuirks => Quirks::Limited,
                QuirksMode::NoQuirks => Quirks::No,
            };
        }
    }

    fn append_before_sibling(&self, sibling: &NodeId, new_node: NodeOrText<NodeId>) {
        let parent = self.document.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.insert(parent, new_node, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<HtmlAttribute>) {
        let mut document = self.document.borrow_mut();
        if let Some(element) = document.element_mut(*target) {
            for attribute in attributes(attrs) {
                if element.attribute(&attribute.name).is_none() {
                    element.attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.document.borrow_mut().remove(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut document = self.document.borrow_mut();
        while let Some(child) = document.first_child(*node) {
            document.link(*new_parent, child, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pages_are_not_taken_for_deep_ones() {
        let rows: String =
            (0..2_000).map(|n| format!("<tr><td>{n}</td><td><input name=i{n}></td></tr>\n")).collect();
        let document = Document::parse("about:blank", &format!("<body><table>{rows}</table><p>end</p>"));
        let body = document.body().unwrap();
        assert_eq!(document.child_elements(body).count(), 2);
        let rows: Vec<NodeId> =
            document.descendant_elements(body).filter(|&id| document.is(id, "tr")).collect();
        assert!(rows.iter().all(|&row| document.child_elements(row).count() == 2));
        assert_eq!(rows.len(), 2_000);
    }

    #[test]
    fn written_text_is_parsed_where_the_script_stands() {
        let mut document = Document::new("http://h.test/", crate::dom::Mode::Ie11);
        let mut parser = Parser::new();
        parser.push("<body><p>a</p><script>1</script><p>b");
        let Step::Script(script) = parser.step(&mut document) else { panic!("no script") };
        assert_eq!(document.text_content(script), "1");
        parser.write("<i>w");
        assert_eq!(parser.step(&mut document), Step::Done);
        parser.push("</p>c");
        parser.finish(&mut document);
        let body = document.body().expect("body");
        assert_eq!(document.inner_html(body), "<p>a</p><script>1</script><i>w<p>b</p>c</i>");
    }

    #[test]
    fn nesting_of_100_000_elements_is_capped_and_none_is_lost() {
        let document = Document::parse("http://h.test/", &"<div>".repeat(100_000));
        let depth = |id| document.ancestors(id).count();
        assert_eq!(
            document.descendants(document.root()).filter(|&id| document.is(id, "div")).count(),
            100_000
        );
        let deepest = document.descendants(document.root()).take(2_000).map(depth).max();
        assert!(deepest.is_some_and(|depth| depth < 600), "{deepest:?}");
    }

    #[test]
    fn swept_ids_never_name_another_node() {
        let mut document = Document::parse("http://h.test/", "<p id=x>a</p>");
        let (x, body) = (document.by_id("x").expect("x"), document.body().expect("body"));
        document.remove(x);
        document.sweep([x]);
        assert_eq!(document.text_content(x), "a");
        document.sweep([]);
        assert!(document.get(x).is_none());
        document.set_inner_html(body, "<b>1</b><b>2</b>");
        assert!(document.get(x).is_none());
    }
}
