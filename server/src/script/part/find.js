/* Finding the first element by id, name or CSS. Modes 5 to 7 find names for ids and ids for names and ignore case, so
   each answer is checked and all elements are looked through if it is wrong. */

function find(by, value) {
  if (by === 'css') {
    if (!document.querySelector) {
      return {unable: true};
    }
    try {
      return {node: document.querySelector(value)};
    } catch (e) {
      return {invalid: '' + ((e && e.message) || 'not a selector')};
    }
  }
  return {node: by === 'id' ? byId(value) : byName(value)};
}

function byId(id) {
  var node = document.getElementById(id);
  return !node || attr(node, 'id') === id ? node : firstOfAll('id', id);
}

/* Modes below 10 find names only on the tags that had one in their time. */
function byName(name) {
  var nodes = document.getElementsByName(name), i;
  for (i = 0; i < nodes.length; i++) {
    if (nameOf(nodes[i]) === name) {
      return nodes[i];
    }
  }
  return document.documentMode < 10 ? firstOfAll('name', name) : null;
}

/* A name given by script is a member only, in old modes. */
function nameOf(node) {
  return textOf(node, 'name');
}

/* Old modes count comments as elements. */
function firstOfAll(what, value) {
  var nodes = document.getElementsByTagName('*'), i, node;
  for (i = 0; i < nodes.length; i++) {
    node = nodes[i];
    if (tag(node) && tag(node) !== '!' && textOf(node, what) === value) {
      return node;
    }
  }
  return null;
}

/* The reply where nothing was found. */
function absent(result) {
  return [1, object([['found', false], ['invalid', result.invalid], ['unable', result.unable]])];
}
