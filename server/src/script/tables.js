/* ie-mode-mcp:tables:1:pure */
/* The tables of one document as rows of cell texts. A table that holds others only lays out the page and is left out. */
var MOST = 20, ROWS = 200, CELL = 120;
var all = document.getElementsByTagName('table'), found = [], i;
for (i = 0; all[i] && found.length < MOST; i++) {
  if (!all[i].getElementsByTagName('table')[0] && isRendered(all[i]) && isVisible(all[i])) {
    found[found.length] = rows(all[i]);
  }
}
return [1, object([['tables', {json: list(found)}]])];

/* A merged cell stands in each place it covers. */
function rows(table) {
  var grid = [], lines = [], count = 0, r, c, i, x, y, row, cell, words, caption = table.caption;
  for (r = 0; table.rows[r] && r < ROWS; r++) {
    row = table.rows[r];
    grid[r] = grid[r] || [];
    for (i = 0, c = 0; row.cells[i]; i++) {
      cell = row.cells[i];
      words = quote(textBelow(cell, CELL));
      while (grid[r][c]) {
        c++;
      }
      for (y = 0; y < (cell.rowSpan || 1) && r + y < ROWS; y++) {
        grid[r + y] = grid[r + y] || [];
        for (x = 0; x < (cell.colSpan || 1) && x < 100; x++) {
          grid[r + y][c + x] = words;
        }
      }
      c += cell.colSpan || 1;
    }
  }
  for (count = r; table.rows[count]; count++) {}
  for (i = 0; i < r; i++) {
    for (c = 0; c < grid[i].length; c++) {
      grid[i][c] = grid[i][c] || '""';
    }
    lines[i] = list(grid[i]);
  }
  return object([
    ['id', textOf(table, 'id') || null],
    ['caption', caption ? textBelow(caption, CELL) : null],
    ['rowCount', count > r ? count : null],
    ['rows', {json: list(lines)}]
  ]);
}
