/* ie-mode-mcp:glance:1:pure */
/* Arguments: strategy (id, name, css, element), value, wanted text or null. Finds the first match and says what a person
   sees of it: enough to wait for it, and much shorter than what acting on it needs. */
var by = arguments[0], value = arguments[1], want = arguments[2];
var result = by === 'element' ? {node: value} : find(by, value), node = result.node, text = null;
if (!node) {
  return absent(result);
}
if (typeof want === 'string') {
  text = fieldText(node);
  text = text === null ? innerText(node) : fold(text);
}
return [1, object([
  ['found', true],
  ['tag', tag(node)],
  ['shown', isShown(node)],
  ['transparent', isTransparent(node)],
  ['enabled', isEnabled(node)],
  ['has', text !== null && text.indexOf(fold(want)) !== -1],
  ['text', text === null ? null : text.substring(0, 120)]
]), node];
