/* Fires a bubbling event as the document mode knows it: modes below 9 have fireEvent only, and no input event. An error
   in a handler is the page's own. */
function fire(node, name) {
  var event;
  try {
    if (document.createEvent) {
      event = document.createEvent('HTMLEvents');
      event.initEvent(name, true, false);
      node.dispatchEvent(event);
    } else if (name !== 'input') {
      node.fireEvent('on' + name);
    }
  } catch (e) {
    return;
  }
}
