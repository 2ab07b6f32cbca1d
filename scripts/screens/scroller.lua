-- A scrolling list on a terminal: its items, the selected item, and the visible items.

local term = require "b2c.term"

return function(items)
  local self = { items = items, selected = 1, top = 1, height = 1 }
  local moves = {
    up = -1, k = -1, ["ctrl-p"] = -1, down = 1, j = 1, ["ctrl-n"] = 1, home = -math.huge, g = -math.huge, ["end"] = math.huge,
    G = math.huge,
  }
  function self.press(key)
    local by = moves[key] or key == "page-down" and self.height or key == "page-up" and -self.height
    if by then self.selected = math.max(1, math.min(#self.items, self.selected + by)) end
    return by
  end
  --- Returns the lines of the visible items; `line` makes one line.
  function self.lines(columns, height, line)
    self.height = math.max(1, height)
    self.selected = math.max(1, math.min(#self.items, self.selected))
    self.top = math.max(self.selected - self.height + 1, math.min(self.top, self.selected))
    self.top = math.max(1, math.min(self.top, #self.items - self.height + 1))
    local lines = {}
    for i = self.top, math.min(#self.items, self.top + height - 1) do
      local text = term.fit(line(self.items[i], columns - 2), columns - 2)
      lines[#lines + 1] = { i == self.selected and { "> " .. text, style = "reverse" } or "  " .. text }
    end
    return lines
  end
  return self
end
