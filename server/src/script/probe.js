/* ie-mode-mcp:probe:1:pure */
/* Arguments: strategy (id, name, css, element), value. Finds the first match and says what a person could do with it. */
var by = arguments[0], value = arguments[1];
var result = by === 'element' ? {node: value} : find(by, value);
var node = result.node, cover;
if (!node) {
  return absent(result);
}
cover = overlay(node);
return [1, object([
  ['found', true],
  ['tag', tag(node)],
  ['kind', kind(node)],
  ['shown', isShown(node)],
  ['transparent', isTransparent(node)],
  ['enabled', isEnabled(node)],
  ['readOnly', isField(node) && node.readOnly === true],
  ['editable', isEditable(node)],
  ['multiple', node.multiple === true],
  ['checked', node.checked === true || node.selected === true],
  ['inView', cover !== null],
  ['coveredBy', cover || null],
  ['length', length(node)],
  ['url', address()]
]), node];
