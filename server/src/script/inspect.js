/* ie-mode-mcp:inspect:1:pure */
/* What one document shows: its text and the elements that can be operated, in document order. Arguments: query, offset,
   limit, text offset, text limit. The text of the reply is an object whose elements and frames ("at") stand for the
   elements of the reply.

   One walk over the tree finds all; what an ancestor hides is told by the chain of ancestors, not asked for again. Lists
   of the page are read until an index gives nothing, since a control named "length" hides their length. */
var MOST = 100000, SHORT = 120, LONG = 300, NAME = 60, OPTIONS = 10, STILL = 300;
var query = fold(arguments[0]).toLowerCase(), offset = arguments[1], limit = arguments[2];
var textOffset = arguments[3], textLimit = arguments[4];
var chain = [], items = [], frames = [], labels = [], images = [], nodes = 0, page = {text: ''};
var root = top(), view = viewport();

if (root) {
  walk(root, enter, leave);
}
return answer();

function top() {
  var node = document.documentElement;
  return node && node.nodeType === 1 ? node : document.getElementsByTagName('html')[0];
}

function viewport() {
  var node = root;
  if (root && document.compatMode === 'BackCompat') {
    for (node = root.firstChild; node && !/^(body|frameset)$/.test(tag(node)); node = node.nextSibling) {}
  }
  return node ? {w: node.clientWidth, h: node.clientHeight} : {};
}

/* ---- the walk ---- */

function enter(node, depth) {
  var above = chain[depth - 1], name, found, link, isFrame, seen;
  if (node.nodeType === 3) {
    if (above && !above.hidden && !above.mute) {
      put(page, node.nodeValue, textOffset + textLimit);
    }
    return false;
  }
  name = tag(node);
  if (!name || name === '!' || ++nodes > MOST) {
    return false;
  }
  found = style(node);
  isFrame = name === 'iframe' || name === 'frame';
  /* Areas and their map have no box; their image shows them. */
  if (found.display === 'none' && name !== 'map' && name !== 'area') {
    if (isFrame) {
      frames[frames.length] = {node: node, hidden: true};
    } else {
      hide(node, 'iframe');
      hide(node, 'frame');
    }
    return false;
  }
  link = inherit(above);
  chain[depth] = link;
  link.node = node;
  link.line = isInline(found) && name !== 'br';
  link.mute = link.mute || isMute(name);
  link.clear = link.clear || isClear(found);
  if (found.visibility && found.visibility !== 'inherit') {
    link.hidden = found.visibility !== 'visible';
  }
  if (name === 'label') {
    link.label = node;
    labels[labels.length] = node;
  } else if (name === 'table') {
    link.table = node;
    link.row = link.cell = null;
  } else if (name === 'tr') {
    link.row = node;
    link.cell = null;
  } else if (name === 'td' || name === 'th') {
    link.cell = node;
  } else if (name === 'img' && !link.hidden) {
    images[images.length] = node;
  }
  if (!link.line) {
    page.gap = true;
  }
  if (isFrame || isOperable(node, name)) {
    seen = name === 'area' || (!link.hidden && hasSize(node) && !isClipped(node));
    if (isFrame) {
      frames[frames.length] = {node: node, hidden: !seen};
    }
    if (seen) {
      items[items.length] = {node: node, name: name, link: link};
    }
  }
  return !isMute(name) || name === 'map';
}

function leave(node, depth) {
  if (chain[depth] && chain[depth].node === node && !chain[depth].line) {
    page.gap = true;
  }
}

/* Frames in what is not displayed still count among the frames. */
function hide(node, name) {
  var list = tag(node) === 'form' ? [] : node.getElementsByTagName(name), i;
  for (i = 0; list[i]; i++) {
    frames[frames.length] = {node: list[i], hidden: true};
  }
}

function inherit(above) {
  var link = {}, name;
  for (name in above) {
    link[name] = above[name];
  }
  return link;
}

function isClear(found) {
  return (found.opacity && +found.opacity === 0) || /opacity\s*=\s*0\s*\)/i.test(found.filter || '');
}

function isOperable(node, name) {
  var click;
  if (/^(a|area|button|textarea|select|object|embed|applet)$/.test(name)) {
    return true;
  }
  if (name === 'input') {
    return kind(node) !== 'hidden';
  }
  if (/^(form|html|option|head)$/.test(name)) {
    return false;
  }
  click = name !== 'body' && node.onclick;
  return (click && !click.nodeType) || ('' + node.contentEditable).toLowerCase() === 'true';
}

/* ---- labels ---- */

function labelOf(item) {
  var node = item.node, type = kind(node), id = textOf(node, 'id'), box = /^(checkbox|radio)$/.test(type), i, words = '';
  if (/^(button|submit|reset|image)$/.test(type) || !/^(input|select|textarea|div|body)$/.test(item.name)) {
    return '';
  }
  for (i = 0; id && labels[i] && !words; i++) {
    words = labels[i].htmlFor === id ? textBelow(labels[i], NAME) : '';
  }
  return words || (item.link.label && textBelow(item.link.label, NAME)) || cut(fold(attr(node, 'aria-label') || ''), NAME) ||
    beside(node, box ? 'nextSibling' : 'previousSibling') || inTable(item.link);
}

/* The text in the same line: before a field, behind a check box. */
function beside(node, way) {
  var next = node[way], words = '', steps;
  for (steps = 0; next && !words && steps < 5; steps++) {
    if (next.nodeType === 3) {
      words = fold(next.nodeValue);
    } else if (tag(next)) {
      if (/^(input|select|textarea|button|br|form|a)$/.test(tag(next)) || !isInline(style(next))) {
        return '';
      }
      words = textBelow(next, SHORT);
    }
    next = next[way];
  }
  return way === 'nextSibling' ? cut(words, NAME) : words.substring(words.length > NAME ? words.length - NAME : 0);
}

/* A heading of the row, else of the column, else the text left, else the text above. */
function inTable(at) {
  var row = at.row, rows = at.table && at.table.rows, left, above, words, i, column = 0;
  if (!at.cell || !row || !rows) {
    return '';
  }
  for (i = 0; row.cells[i] && row.cells[i] !== at.cell; i++) {
    left = row.cells[i];
    column += left.colSpan;
  }
  words = naming(left);
  if (words && tag(left) === 'th') {
    return words;
  }
  /* Headings stand in the first rows; looking at all would take the square of their number. */
  for (i = 0; i < 3 && rows[i] && rows[i] !== row; i++) {
    above = cellAt(rows[i], column);
    if (tag(above) === 'th' && naming(above)) {
      return naming(above);
    }
  }
  i = row.rowIndex;
  return words || (i > 0 && naming(cellAt(rows[i - 1], column))) || (i > 1 && naming(cellAt(rows[0], column))) || '';
}

function cellAt(row, column) {
  var i, at = 0;
  for (i = 0; row.cells[i]; i++) {
    at += row.cells[i].colSpan;
    if (at > column) {
      return row.cells[i];
    }
  }
  return row;
}

/* The text of a cell that names others: it holds no control. */
function naming(cell) {
  var names = ['input', 'select', 'textarea', 'button'], i, j, list;
  if (!cell || tag(cell) === 'tr') {
    return '';
  }
  for (i = 0; i < 4; i++) {
    list = cell.getElementsByTagName(names[i]);
    for (j = 0; list[j]; j++) {
      if (kind(list[j]) !== 'hidden') {
        return '';
      }
    }
  }
  return textBelow(cell, NAME);
}

/* ---- one element ---- */

/* What names it and what it holds. */
function learn(item) {
  var node = item.node, name = item.name;
  item.id = textOf(node, 'id');
  item.called = textOf(node, 'name');
  item.text = item.value = '';
  if (name === 'select') {
    item.text = chosen(node);
  } else if (name === 'input' || name === 'textarea') {
    item.value = textOf(node, 'value');
  } else if (name !== 'area' && (!isMute(name))) {
    item.text = textBelow(node, SHORT);
  }
  item.label = labelOf(item);
  item.alt = cut(fold(attr(node, 'alt') || (/^(a|button)$/.test(name) && pictured(node)) || ''), SHORT);
}

function pictured(node) {
  var image = node.getElementsByTagName('img')[0];
  return image && attr(image, 'alt');
}

function isWanted(item) {
  return !query || (item.text + '\n' + item.label + '\n' + item.id + '\n' + item.called + '\n' + item.alt + '\n' +
    (kind(item.node) === 'password' ? '' : fold(item.value))).toLowerCase().indexOf(query) !== -1;
}

function chosen(node) {
  var i, out = '';
  for (i = 0; node.options[i] && out.length <= SHORT; i++) {
    if (node.options[i].selected === true) {
      out += (out ? ', ' : '') + fold(node.options[i].text);
    }
  }
  return out;
}

function tell(item) {
  var node = item.node, name = item.name, type = kind(node), push = /^(submit|button|reset)$/.test(type) && name === 'input';
  var words = push && fold(item.value) !== item.value ? fold(item.value) : item.text, hint, value = item.value, rect = box(node);
  var control = /^(input|select|textarea|button)$/.test(name), entry = name === 'input' || name === 'textarea';
  var isNamed = words || item.label || (push && value) || (entry && attr(node, 'placeholder'));
  if (type === 'password') {
    value = value && '\u2022\u2022\u2022\u2022';
  } else if (type === 'image') {
    value = '';
  }
  hint = isNamed || item.alt ? '' : cut(fold(attr(node, 'title') || ''), SHORT);
  return object([
    ['tag', name],
    ['id', item.id || null],
    ['name', item.called || null],
    ['type', name === 'input' ? type || 'text' : null],
    ['text', cut(words, SHORT) || null],
    ['label', item.label || null],
    ['value', cut(value, SHORT) || null],
    ['placeholder', entry ? cut(fold(attr(node, 'placeholder') || ''), SHORT) || null : null],
    ['href', /^(a|area)$/.test(name) ? cut(textOf(node, 'href'), LONG) || null : null],
    ['src', /^i?frame$/.test(name) ? cut(attr(node, 'src') || '', LONG) || null : null],
    ['alt', isNamed ? null : item.alt || null],
    ['title', hint || null],
    ['class', isNamed || item.alt || hint || item.id || item.called ? null : cut(fold(textOf(node, 'className')), SHORT) || null],
    ['checked', /^(checkbox|radio)$/.test(type) ? node.checked === true : null],
    ['disabled', (control && !isEnabled(node)) || null],
    ['readonly', (entry && node.readOnly === true) || null],
    ['required', (control && node.required === true) || null],
    ['multiple', (name === 'select' && node.multiple === true) || null],
    ['optionCount', name === 'select' ? count(node.options) : null],
    ['options', name === 'select' && node.options[0] ? {json: options(node)} : null],
    ['transparent', item.link.clear || null],
    ['outside', (name !== 'area' && view.h && (rect.t >= view.h || rect.b <= 0 || rect.l >= view.w || rect.r <= 0)) || null]
  ]);
}

function count(list) {
  var n = 0;
  while (list[n]) {
    n++;
  }
  return n;
}

/* A plain text where there is no more to say of an option. */
function options(node) {
  var out = [], i, one, group, off, several = node.multiple === true;
  for (i = 0; i < OPTIONS && node.options[i]; i++) {
    one = node.options[i];
    group = tag(one.parentNode) === 'optgroup' ? one.parentNode : null;
    off = one.disabled === true || (group && group.disabled === true);
    out[i] = group || off || (several && one.selected === true) ? object([
      ['text', cut(fold(one.text), SHORT)],
      ['group', group ? cut(fold(textOf(group, 'label')), SHORT) : null],
      ['disabled', off || null],
      ['selected', (several && one.selected === true) || null]
    ]) : quote(cut(fold(one.text), SHORT));
  }
  return list(out);
}

/* Whether an area leads somewhere, and the image of its map is seen. */
function isUsed(node) {
  var map = up(node), name, i, used;
  while (map && tag(map) !== 'map') {
    map = up(map);
  }
  name = map ? textOf(map, 'name') || textOf(map, 'id') : '';
  for (i = 0; name && images[i] && (textOf(node, 'href') || node.onclick); i++) {
    used = textOf(images[i], 'useMap');
    if (used.substring(used.indexOf('#') + 1).toLowerCase() === name.toLowerCase()) {
      return hasArea(box(images[i])) && !isClipped(images[i]);
    }
  }
  return false;
}

/* ---- the answer ---- */

function answer() {
  var result = [1, ''], said = [], total = 0, n = 0, i, item, above = null, ready = document.readyState;
  for (i = 0; i < items.length; i++) {
    item = items[i];
    if (item.name === 'area' && !isUsed(item.node)) {
      continue;
    }
    if (query) {
      learn(item);
    }
    if (isWanted(item) && ++total > offset && n < limit) {
      learn(item);
      said[n] = tell(item);
      result[2 + n++] = item.node;
    }
  }
  try {
    above = window.top !== window.self ? {json: object([['url', window.top.document.URL], ['title', window.top.document.title]])} : null;
  } catch (e) {}
  result[1] = object([
    ['url', address()],
    ['title', title()],
    ['top', above],
    ['documentMode', typeof document.documentMode === 'number' ? document.documentMode : null],
    ['readyState', typeof ready === 'string' && ready !== 'complete' ? ready : null],
    ['text', cut(page.text.substring(textOffset), textLimit)],
    ['textTruncated', page.text.length > textOffset + textLimit || null],
    ['total', total],
    ['elements', {json: list(said)}],
    ['frames', frames.length ? {json: list(framed(result))} : null],
    ['cut', nodes > MOST || null]
  ]);
  return result;
}

/* Each frame with where it stands among the elements of the reply. */
function framed(result) {
  var out = [], i, at, node, name, same;
  for (i = 0; i < frames.length; i++) {
    node = frames[i].node;
    name = textOf(node, 'name');
    for (at = 2; result[at] && result[at] !== node; at++) {}
    if (!frames[i].hidden) {
      result[at] = node;
    }
    same = name ? document.getElementsByName(name) : [];
    out[i] = object([
      ['at', frames[i].hidden ? null : at - 2],
      ['index', i],
      ['id', document.getElementById(textOf(node, 'id')) === node ? textOf(node, 'id') : null],
      ['name', same[0] === node && !same[1] ? name : null],
      ['src', cut(textOf(node, 'src'), LONG) || null],
      ['hidden', frames[i].hidden || null],
      ['still', frames[i].hidden ? null : still(node)]
    ]);
  }
  return out;
}

/* What a frame shows that holds nothing to operate and no frame below: it need not be entered. */
function still(frame) {
  var inner, all, i, name, ready;
  try {
    inner = frame.contentWindow.document;
    all = inner.getElementsByTagName('*');
    for (i = 0; all[i]; i++) {
      name = tag(all[i]);
      if (i > STILL || /^i?frame/.test(name) || isOperable(all[i], name)) {
        return null;
      }
    }
    ready = inner.readyState;
    return inner.body && ready === 'complete' ? {json: object([
      ['url', '' + inner.URL],
      ['title', typeof inner.title === 'string' ? inner.title : ''],
      ['documentMode', typeof inner.documentMode === 'number' ? inner.documentMode : null],
      ['text', textBelow(inner.body, LONG * 10)]
    ])} : null;
  } catch (e) {
    return null;
  }
}
