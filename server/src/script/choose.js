/* ie-mode-mcp:choose:1:effect */
/* Arguments: list, indexes of the options that shall be chosen, their folded texts. Chooses exactly these and fires one
   change event if that changed anything. Does nothing if the options are no longer these. A handler may open a dialog;
   then nothing is returned. */
var node = arguments[0], wanted = arguments[1], texts = arguments[2], options = node.options;
var changed = false, stays = true, i, chosen, others, before = [], dependents = [];
for (i = 0; i < wanted.length; i++) {
  if (!options[wanted[i]] || fold(options[wanted[i]].text) !== texts[i]) {
    return [1, object([['done', false]])];
  }
}
others = document.getElementsByTagName('select');
for (i = 0; i < others.length && i < 100; i++) {
  before[i] = {node: others[i], signature: signature(others[i])};
}
try {
  node.focus();
} catch (e) {
}
if (node.multiple) {
  for (i = 0; i < options.length; i++) {
    chosen = isWanted(i);
    if (options[i].selected !== chosen) {
      options[i].selected = chosen;
      changed = true;
    }
  }
} else if (node.selectedIndex !== wanted[0]) {
  node.selectedIndex = wanted[0];
  changed = true;
}
if (changed) {
  fire(node, 'change');
}
for (i = 0; i < wanted.length; i++) {
  stays = stays && !!options[wanted[i]] && options[wanted[i]].selected === true;
}
for (i = 0; i < before.length; i++) {
  if (before[i].node !== node && signature(before[i].node) !== before[i].signature) {
    dependents[dependents.length] = object([
      ['id', attr(before[i].node, 'id')],
      ['name', attr(before[i].node, 'name')],
      ['optionCount', before[i].node.options.length]
    ]);
  }
}
return [1, '{"done":true,"stays":' + stays + ',"dependents":' + list(dependents) + '}'];

function isWanted(index) {
  for (var at = 0; at < wanted.length; at++) {
    if (wanted[at] === index) {
      return true;
    }
  }
  return false;
}

function signature(select) {
  var all = select.options, text = '' + all.length, at;
  for (at = 0; at < all.length && at < 500; at++) {
    text += '\n' + all[at].text + '\n' + all[at].value;
  }
  return text;
}
