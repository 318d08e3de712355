/* ie-mode-mcp:list:1:pure */
/* Arguments: strategy (id, name, css, element), value, null, wanted options as [text|value|index, values]. Finds the first
   match and says which options of it are meant. */
var by = arguments[0], value = arguments[1], want = arguments[3];
var result = by === 'element' ? {node: value} : find(by, value), node = result.node, said, options = '', i;
if (!node) {
  return absent(result);
}
if (tag(node) === 'select') {
  for (i = 0; i < want[1].length; i++) {
    options += (i ? ',' : '') + matches(node, want[0], want[1][i]);
  }
  options = ',"options":[' + options + '],"texts":' + firstTexts(node);
}
said = object([
  ['found', true],
  ['tag', tag(node)],
  ['shown', isShown(node)],
  ['transparent', isTransparent(node)],
  ['enabled', isEnabled(node)],
  ['multiple', node.multiple === true]
]);
return [1, said.substring(0, said.length - 1) + options + '}', node];
