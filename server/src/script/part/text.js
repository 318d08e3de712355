/* Text that a person sees, gathered by a walk. A form hides members under the names of its fields, so what it says of
   its children and neighbours is checked. */

/* Without recursion, since old pages nest thousands of elements. Children are visited where enter says so. */
function walk(start, enter, leave) {
  var parents = [], depth = 0, node = start, next;
  for (;;) {
    next = enter(node, depth) ? first(node) : null;
    if (next) {
      parents[depth++] = node;
      node = next;
      continue;
    }
    for (;;) {
      leave(node, depth);
      if (!depth) {
        return;
      }
      next = after(node, parents[depth - 1]);
      if (next) {
        node = next;
        break;
      }
      node = parents[--depth];
    }
  }
}

function first(node) {
  var child = node.firstChild;
  if (child && tag(node) === 'form' && child.parentNode !== node) {
    child = node.childNodes[0];
    return child && child.parentNode === node ? child : null;
  }
  return child;
}

function after(node, parent) {
  var next = node.nextSibling, i, siblings;
  if (next && tag(node) === 'form' && next.previousSibling !== node) {
    siblings = parent.childNodes;
    for (i = 0; siblings[i] && siblings[i] !== node; i++) {}
    next = siblings[i + 1] || null;
  }
  return next;
}

function isInline(found) {
  return !found.display || found.display === 'inline' || found.display === 'contents';
}

/* Elements whose content is no text of the page. */
function isMute(name) {
  return /^(script|style|noscript|noframes|head|template|select|textarea|object|embed|applet|i?frame|datalist|audio|video|canvas|map)$/
    .test(name);
}

function put(to, words, most) {
  if (to.text.length > most) {
    return;
  }
  words = ('' + words).replace(/[\s\u00A0\u3000]+/g, ' ');
  if (words.charAt(0) === ' ') {
    to.gap = true;
    words = words.substring(1);
  }
  if (words) {
    to.text += (to.gap && to.text ? ' ' : '') + words.replace(/ $/, '');
    to.gap = / $/.test(words);
  }
}

/* Text below a node that a person sees. */
function textBelow(start, most) {
  var to = {text: ''}, hidden = [], line = [];
  walk(start, function (node, depth) {
    var name, found;
    if (node.nodeType === 3) {
      if (!hidden[depth - 1]) {
        put(to, node.nodeValue, most);
      }
      return false;
    }
    name = tag(node);
    line[depth] = true;
    if (!name || name === '!' || to.text.length > most || (isMute(name) && depth)) {
      return false;
    }
    found = style(node);
    line[depth] = isInline(found) && name !== 'br';
    hidden[depth] = found.visibility && found.visibility !== 'inherit' ?
      found.visibility !== 'visible' : depth && hidden[depth - 1];
    to.gap = to.gap || !line[depth];
    return !depth || found.display !== 'none';
  }, function (node, depth) {
    to.gap = to.gap || (node.nodeType !== 3 && !line[depth]);
  });
  return cut(to.text, most);
}

/* Not in the middle of a pair; what is left is repaired by quote. */
function cut(words, most) {
  return words.length > most ? words.substring(0, most).replace(/[\uD800-\uDBFF]$/, '') : words;
}
