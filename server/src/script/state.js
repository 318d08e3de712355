/* ie-mode-mcp:state:1:pure */
var mode = +document.documentMode || 0;
return [1, object([
  ['url', address()],
  ['title', title()],
  ['readyState', '' + document.readyState],
  ['mode', mode]
])];
