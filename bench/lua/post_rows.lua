-- A script for wrk: posts the rows of a CSV file repeatedly, with the first column as the text.
local requests, next_request = {}, 0

local function form(text)
  return "Text=" .. text:gsub("[^%w%-._~ ]", function(c) return ("%%%02X"):format(c:byte()) end):gsub(" ", "+")
end

function init(arguments)
  local file = assert(io.open(arguments[1]))
  local content = file:read("a")
  file:close()
  local headers = {
    ["Content-Type"] = "application/x-www-form-urlencoded",
    ["Accept"] = "application/json",
    ["Authorization"] = "Bearer " .. ("x"):rep(800),
  }
  local position = content:find("\n") + 1
  while position <= #content do
    local text, stop = content:match('^"(.-)",%d+,%w+\n()', position)
    if not text then text, stop = content:match("^(.-),%d+,%w+\n()", position) end
    requests[#requests + 1] = wrk.format("POST", nil, headers, form((text:gsub('""', '"'))))
    position = stop
  end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end
