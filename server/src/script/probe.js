/* ie-mode-mcp:probe:1:pure */
/* Arguments: strategy (id, name, css, element), value, wanted text or null, wanted options as [text|value|index, values]
   or null. Finds the first match and says what a person could do with it. */
var by = arguments[0], value = arguments[1], want = arguments[2], wantOptions = arguments[3];
var result = by === 'element' ? {node: value} : find(by, value);
var node = result.node, text = null, cover = null, options = '', i;
if (!node) {
  return [1, object([['found', false], ['invalid', result.invalid], ['unable', result.unable]])];
}
if (typeof want === 'string') {
  text = fieldText(node);
  text = text === null ? innerText(node) : fold(text);
}
if (wantOptions && tag(node) === 'select') {
  for (i = 0; i < wantOptions[1].length; i++) {
    options += (i ? ',' : '') + matches(node, wantOptions[0], wantOptions[1][i]);
  }
  options = ',"options":[' + options + '],"texts":' + firstTexts(node);
}
cover = overlay(node);
text = object([
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
  ['has', text !== null && text.indexOf(fold(want)) !== -1],
  ['text', text === null ? null : text.substring(0, 120)],
  ['url', address()]
]);
return [1, text.substring(0, text.length - 1) + options + '}', node];
