/* Reading a document that trusts nothing the page may have overwritten: no global object, and no member of a form,
   since a form shows its fields under their names ("id", "parentNode", "tagName"). */

function quote(text) {
  var source = '' + text, out = '', i, c, next;
  for (i = 0; i < source.length; i++) {
    c = source.charCodeAt(i);
    if (c === 34 || c === 92) {
      out += '\\' + source.charAt(i);
    } else if (c < 32) {
      out += '\\u00' + (c < 16 ? '0' : '') + c.toString(16);
    } else if (c >= 0xD800 && c <= 0xDBFF) {
      next = i + 1 < source.length ? source.charCodeAt(i + 1) : 0;
      if (next >= 0xDC00 && next <= 0xDFFF) {
        out += source.charAt(i) + source.charAt(i + 1);
        i++;
      } else {
        out += '\uFFFD';
      }
    } else if (c >= 0xDC00 && c <= 0xDFFF) {
      out += '\uFFFD';
    } else {
      out += source.charAt(i);
    }
  }
  return '"' + out + '"';
}

/* JSON of a list of [name, value]; a value that is undefined or null is left out. */
function object(members) {
  var out = '', i;
  for (i = 0; i < members.length; i++) {
    if (members[i][1] !== null && typeof members[i][1] !== 'undefined') {
      out += (out ? ',' : '') + quote(members[i][0]) + ':' + json(members[i][1]);
    }
  }
  return '{' + out + '}';
}

/* JSON of a text, number or boolean; {json: …} holds what is JSON already. */
function json(value) {
  if (typeof value === 'object') {
    return value.json;
  }
  if (typeof value === 'number') {
    return value - value === 0 ? '' + value : '0';
  }
  return typeof value === 'boolean' ? '' + value : quote(value);
}

/* JSON of a list of values of which the JSON is given. */
function list(values) {
  var out = '', i;
  for (i = 0; i < values.length; i++) {
    out += (i ? ',' : '') + values[i];
  }
  return '[' + out + ']';
}

/* White space as a person sees it: each run is one blank. Old engines' \s lacks U+00A0. */
function fold(text) {
  return ('' + text).replace(/[\s\u00A0\u3000]+/g, ' ').replace(/^ | $/g, '');
}

/* Tag name in lower case; '' for what is no element. Only a form hides its own. */
function tag(node) {
  var name = node.tagName;
  if (typeof name === 'string') {
    return name.toLowerCase();
  }
  return typeof name === 'undefined' ? '' : 'form';
}

/* The parent of a node. */
function up(node) {
  var parent = node.parentNode;
  if (!parent || tag(node) !== 'form' || isOutside(parent, node)) {
    return parent;
  }
  parent = node.parentElement;
  return isOutside(parent, node) ? parent : document.body;
}

function isOutside(node, form) {
  var at;
  if (!node || (typeof node.nodeType === 'undefined')) {
    return false;
  }
  for (at = node; at; at = at.parentNode) {
    if (at === form) {
      return false;
    }
  }
  return true;
}

/* An attribute as it stands in the tag, or null. */
function attr(node, name) {
  var found = null;
  try {
    found = node.getAttributeNode(name);
  } catch (e) {
    return null;
  }
  return found && found.specified !== false && typeof found.nodeValue === 'string' ? found.nodeValue : null;
}

/* A member that is a text, else the attribute of that name, else ''. */
function textOf(node, name) {
  var value = node[name];
  if (typeof value === 'string') {
    return value;
  }
  value = attr(node, name);
  return value === null ? '' : value;
}

/* Text that a person sees of an element, folded. */
function innerText(node) {
  var text = node.innerText;
  if (typeof text !== 'string') {
    text = node.textContent;
  }
  return typeof text === 'string' ? fold(text) : '';
}

/* Style in force; without getComputedStyle (modes below 9) what IE calls the current one. */
function style(node) {
  var found = null;
  try {
    found = window.getComputedStyle ? window.getComputedStyle(node, null) : node.currentStyle;
  } catch (e) {
    found = node.currentStyle;
  }
  return found || {};
}

/* Box in the viewport: left, top, right, bottom. IE throws for nodes outside the document. */
function box(node) {
  try {
    var found = node.getBoundingClientRect();
    return {l: found.left, t: found.top, r: found.right, b: found.bottom};
  } catch (e) {
    return {l: 0, t: 0, r: 0, b: 0};
  }
}

/* Whether a box has an area. */
function hasArea(rect) {
  return rect.r > rect.l && rect.b > rect.t;
}

/* Address of the document; a form may be named URL. */
function address() {
  var found = document.URL;
  if (typeof found !== 'string') {
    found = window.location.href;
  }
  return '' + found;
}

/* Title of the document; a form or image may be named title. */
function title() {
  var found = document.title, tags;
  if (typeof found === 'string') {
    return found;
  }
  tags = document.getElementsByTagName('title');
  return tags.length ? fold(tags[0].text || tags[0].innerHTML) : '';
}
