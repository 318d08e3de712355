/* Whether a person can see an element, and whether another one lies over it. */

function isShown(node) {
  var name = tag(node), holder;
  if (name === 'option' || name === 'optgroup') {
    holder = ancestor(node, 'select');
    return !!holder && isShown(holder);
  }
  if (name === 'area' || name === 'map') {
    holder = mapImage(name === 'map' ? node : ancestor(node, 'map'));
    return !!holder && isShown(holder);
  }
  if (name === 'input' && kind(node) === 'hidden') {
    return false;
  }
  return isRendered(node) && isVisible(node) && hasSize(node) && !isClipped(node);
}

function ancestor(node, name) {
  var at;
  for (at = up(node); at && tag(at); at = up(at)) {
    if (tag(at) === name) {
      return at;
    }
  }
  return null;
}

/* The image a map belongs to. */
function mapImage(map) {
  var images = document.getElementsByTagName('img'), name = map ? textOf(map, 'name') : '', i, used;
  for (i = 0; name && i < images.length; i++) {
    used = textOf(images[i], 'useMap');
    if (used.substring(used.indexOf('#') + 1) === name) {
      return images[i];
    }
  }
  return null;
}

function isRendered(node) {
  var at;
  for (at = node; at && tag(at); at = up(at)) {
    if (style(at).display === 'none') {
      return false;
    }
  }
  return !!at;
}

/* The current style of old modes may say "inherit" where the computed one says what holds. */
function isVisible(node) {
  var at, value;
  for (at = node; at && tag(at); at = up(at)) {
    value = style(at).visibility;
    if (value && value !== 'inherit') {
      return value !== 'hidden' && value !== 'collapse';
    }
  }
  return true;
}

function isTransparent(node) {
  var at, found;
  for (at = node; at && tag(at); at = up(at)) {
    found = style(at);
    if ((found.opacity && +found.opacity === 0) || /opacity\s*=\s*0\s*\)/i.test(found.filter || '')) {
      return true;
    }
  }
  return false;
}

/* A box with an area, or something in it that has one and is not cut off. */
function hasSize(node) {
  var child, found;
  if (hasArea(box(node))) {
    return true;
  }
  found = style(node);
  if (cuts(found.overflowX || found.overflow) && cuts(found.overflowY || found.overflow) &&
      found.display !== 'inline') {
    return false;
  }
  for (child = node.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === 3) {
      if (fold(child.nodeValue)) {
        return true;
      }
    } else if (tag(child) && style(child).display !== 'none' && hasSize(child)) {
      return true;
    }
  }
  return false;
}

function cuts(overflow) {
  return !!overflow && overflow !== 'visible';
}

/* Outside what an ancestor shows and what can be scrolled to. */
function isClipped(node) {
  var rect = box(node), position = style(node).position, at, found, area, x, y;
  if (!hasArea(rect)) {
    return false;
  }
  for (at = node; at && tag(at) && tag(at) !== 'body' && tag(at) !== 'html'; at = up(at)) {
    found = style(at);
    if (at !== node && holds(position, found)) {
      if (found.display !== 'inline') {
        area = box(at);
        x = found.overflowX || found.overflow;
        y = found.overflowY || found.overflow;
        if ((cuts(x) && area.r <= area.l) || (cuts(y) && area.b <= area.t) ||
            (x === 'hidden' && (rect.r <= area.l || rect.l >= area.r)) ||
            (y === 'hidden' && (rect.b <= area.t || rect.t >= area.b))) {
          return true;
        }
      }
      position = found.position;
    }
    if ((found.position === 'absolute' || found.position === 'fixed') && isCutAway(found)) {
      return true;
    }
  }
  return position !== 'fixed' && isOffPage(rect);
}

/* clip: rect(…) without an area. */
function isCutAway(found) {
  var clip = found.clip, sides, numbers = [], i;
  if (typeof clip === 'string') {
    sides = clip.replace(/^\s*rect\(|\)\s*$/g, '').split(/[\s,]+/);
  } else {
    sides = [found.clipTop, found.clipRight, found.clipBottom, found.clipLeft];
  }
  if (sides.length !== 4) {
    return false;
  }
  for (i = 0; i < 4; i++) {
    if (!/^-?[0-9.]+(px)?$/.test(sides[i] || '')) {
      return false;
    }
    numbers[i] = +('' + sides[i]).replace('px', '');
  }
  return numbers[2] <= numbers[0] || numbers[1] <= numbers[3];
}

/* Left of or above the page, where nobody can scroll to; a page written from right to left scrolls to the left. */
function isOffPage(rect) {
  var root = document.documentElement, body = document.body || root;
  var left = root.scrollLeft || body.scrollLeft || 0, top = root.scrollTop || body.scrollTop || 0;
  var leftward = style(root).direction === 'rtl' || style(body).direction === 'rtl';
  return (!leftward && rect.r + left <= 0) || rect.b + top <= 0;
}

/* null: its middle is outside what is in view, so that the driver scrolls first, or cannot be asked for; '': free; else
   what lies over it. The middle is that of the part in view of its first box, where the driver clicks. */
function overlay(node) {
  var rects, rect = null, i, one, hit, at, name = tag(node);
  if (!document.elementFromPoint) {
    return '';
  }
  try {
    rects = node.getClientRects ? node.getClientRects() : [];
    for (i = 0; i < rects.length && !rect; i++) {
      one = {l: rects[i].left, t: rects[i].top, r: rects[i].right, b: rects[i].bottom};
      rect = hasArea(one) ? one : null;
    }
  } catch (e) {
    rect = null;
  }
  rect = inView(node, rect || box(node));
  if (!hasArea(rect)) {
    return null;
  }
  hit = document.elementFromPoint((rect.l + rect.r) / 2, (rect.t + rect.b) / 2);
  if (!hit) {
    return null;
  }
  if (name === 'option' || name === 'optgroup' || name === 'area' || name === 'map') {
    return '';
  }
  for (at = hit; at && tag(at); at = up(at)) {
    if (at === node || (tag(at) === 'label' && isLabelOf(at, node))) {
      return '';
    }
  }
  for (at = up(node); at && tag(at); at = up(at)) {
    if (at === hit) {
      return '';
    }
  }
  return describe(hit);
}

/* The part of a box that neither the viewport nor a scrolling ancestor cuts off. */
function inView(node, rect) {
  var root = document.compatMode === 'CSS1Compat' || !document.body ? document.documentElement : document.body;
  var position = style(node).position, at, found, part;
  part = common(rect, {l: 0, t: 0, r: root.clientWidth, b: root.clientHeight});
  for (at = up(node); at && tag(at) && tag(at) !== 'body' && tag(at) !== 'html'; at = up(at)) {
    found = style(at);
    if (holds(position, found)) {
      if (found.display !== 'inline' && (cuts(found.overflowX || found.overflow) || cuts(found.overflowY))) {
        part = common(part, box(at));
      }
      position = found.position;
    }
  }
  return part;
}

function common(a, b) {
  return {
    l: a.l > b.l ? a.l : b.l,
    t: a.t > b.t ? a.t : b.t,
    r: a.r < b.r ? a.r : b.r,
    b: a.b < b.b ? a.b : b.b
  };
}

/* Whether an ancestor of this style cuts a box of this position. */
function holds(position, found) {
  return position !== 'fixed' && (position !== 'absolute' || found.position !== 'static');
}

function isLabelOf(label, node) {
  var id = attr(node, 'id');
  return !!id && label.htmlFor === id;
}

/* Tag, id and name, as in a selector. */
function describe(node) {
  var id = attr(node, 'id'), name = attr(node, 'name');
  return (tag(node) + (id ? '#' + id : '') + (name ? '[name=' + name + ']' : '')).substring(0, 120);
}
