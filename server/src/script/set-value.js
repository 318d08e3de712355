/* ie-mode-mcp:set-value:1:effect */
/* Arguments: element, text, whether what stands in it goes. Sets the value as a person's typing would leave it and
   fires the events that follow. A handler may open a dialog; then nothing is returned. */
var node = arguments[0], text = arguments[1], value = arguments[2] ? text : node.value + text;
try {
  node.focus();
} catch (e) {
}
setValue(node, value);
fire(node, 'input');
fire(node, 'change');
return [1, '{}'];

/* The setter of the element's own kind: frameworks put another one on the element. */
function setValue(target, what) {
  var objects = ({}).constructor, kin, setter = null;
  try {
    for (kin = objects.getPrototypeOf(target); kin && !setter; kin = objects.getPrototypeOf(kin)) {
      setter = objects.getOwnPropertyDescriptor(kin, 'value');
    }
  } catch (e) {
    setter = null;
  }
  if (setter && setter.set) {
    setter.set.call(target, what);
  } else {
    target.value = what;
  }
}
