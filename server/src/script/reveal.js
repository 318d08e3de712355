/* ie-mode-mcp:reveal:1:effect */
/* Argument: element. Scrolls it into view, as a person would before using the mouse on it. */
arguments[0].scrollIntoView(true);
return [1, '{}'];
