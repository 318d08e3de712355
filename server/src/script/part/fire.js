/* Fires a bubbling event as the document mode knows it: modes below 9 have fireEvent only, and no input event. */
function fire(node, name) {
  var event;
  if (document.createEvent) {
    event = document.createEvent('HTMLEvents');
    event.initEvent(name, true, false);
    node.dispatchEvent(event);
  } else if (name !== 'input') {
    node.fireEvent('on' + name);
  }
}
