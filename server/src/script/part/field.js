/* What can be done with a control. */

/* Type of an input or button in lower case, else ''. */
function kind(node) {
  var name = tag(node);
  return name === 'input' || name === 'button' ? textOf(node, 'type').toLowerCase() : '';
}

/* A field into which text goes. */
function isField(node) {
  var name = tag(node);
  return name === 'textarea' || (name === 'input' &&
    !/^(hidden|submit|button|reset|image|checkbox|radio|file|range|color)$/.test(kind(node)));
}

function isEditable(node) {
  return isField(node) || (tag(node) !== 'form' && node.isContentEditable === true);
}

/* Its value, or null if it has none that a person reads; a password is not read. */
function fieldText(node) {
  return isField(node) && kind(node) !== 'password' && typeof node.value === 'string' ? node.value : null;
}

/* UTF-16 units of what stands in it, a line break counted once. */
function length(node) {
  if (isField(node) && typeof node.value === 'string') {
    return lines(node.value).length;
  }
  return isEditable(node) ? lines(node.innerText || node.textContent || '').length : 0;
}

function lines(text) {
  return text.replace(/\r\n?/g, '\n');
}

function isEnabled(node) {
  var name = tag(node), at, child;
  if (!/^(button|input|select|textarea|option|optgroup)$/.test(name)) {
    return true;
  }
  if (node.disabled === true) {
    return false;
  }
  for (at = up(node), child = node; at && tag(at); child = at, at = up(at)) {
    name = tag(at);
    if ((name === 'fieldset' && at.disabled === true && !isFirstLegend(child, at)) ||
        ((name === 'optgroup' || name === 'select') && at.disabled === true)) {
      return false;
    }
  }
  return true;
}

/* What stands in the first legend of a disabled fieldset stays enabled. */
function isFirstLegend(node, fieldset) {
  var child;
  for (child = fieldset.firstChild; child; child = child.nextSibling) {
    if (tag(child) === 'legend') {
      return child === node;
    }
  }
  return false;
}
