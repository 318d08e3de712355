/* ie-mode-mcp:read-back:1:pure */
/* Arguments: element, typed text, length before. Compares in the page, so that no text leaves it. */
var node = arguments[0], text = lines(arguments[1]), before = arguments[2], value, same;
if (kind(node) === 'file') {
  value = node.value;
  text = text.substring(text.lastIndexOf('\n') + 1).replace(/^.*[\/\\]/, '');
  same = value.replace(/^.*[\/\\]/, '') === text || (node.multiple === true && value.length > 0);
} else if (isField(node)) {
  value = lines(node.value);
  same = value.length === before + text.length && value.substring(before) === text;
} else {
  value = innerText(node);
  text = fold(text);
  same = text.length <= value.length && value.substring(value.length - text.length) === text;
}
return [1, object([['same', same], ['length', value.length]])];
