-- Files of rows.

local b2c = require "b2c"
local csv = require "b2c.csv"
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

--- Every row of a file with that content, as text.
local function rows(content, options)
  local file <close> = support.file(content, ".csv")
  local lines = {}
  for row, number in csv.rows(file.path, options) do
    lines[#lines + 1] = ("%d %s=%s"):format(number, row.name, row.age)
  end
  return table.concat(lines, "|")
end

equal(b2c.csv, csv)
equal(rows("\xEF\xBB\xBFname,age\r\nAda,36\r\n\"Bob, \"\"the\nbuilder\"\"\",\r\n\r\nÇa,0\r\n"),
  "1 Ada=36|2 Bob, \"the\nbuilder\"=|3 Ça=0")
equal(rows("name;age\nAda;1,5\n"), "1 Ada=1,5")
equal(rows("name|age\nAda|1\n", { separator = "|" }), "1 Ada=1")
equal(rows("name,age\n"), "")

do
  local file <close> = support.file("name,age\nAda,36\n", ".csv")
  local next_row = csv.rows(file.path)
  local row = next_row()
  local names = {}
  for name in pairs(row) do names[#names + 1] = name end
  table.sort(names)
  equal(table.concat(names, " "), "age name")
  -- A name that is not there is more likely misspelled than meant.
  local e = failure(function() return row.nam end)
  equal(e.code, "missing_column")
  equal(e.hint, 'did you mean "name"?')
  row.seen = true
  equal(row.seen, true)
  equal(rawget(row, "nam"), nil)
  -- Its end is its end.
  equal(next_row(), nil)
  equal(next_row(), nil)
end

do
  local file <close> = support.file("name;age\n\"Ada\n\";36\n\nBob;7\n", ".csv")
  equal(csv.count(file.path, { separator = ";" }), 2)
  local ragged <close> = support.file("name,age\nAda,36\nBob\n", ".csv")
  equal(failure(csv.count, ragged.path).code, "ragged_row")
end

-- An import takes the rows of csv.rows directly.
support.sign_in()
do
  local file <close> = support.file("name,age\nAda,36\nBob,7\n", ".csv")
  b2c.tasks.import(csv.rows(file.path), { map = function(row) return row.name end, progress = false })
  equal(support.take_tasks(), "Ada|Bob")
end

-- Wrong arguments and files
equal(failure(csv.rows, "nowhere.csv").code, "file_not_found")
equal(message(csv.rows), "csv.rows: argument 1: expected a string, got nothing")
equal(message(csv.rows, "a.csv", { separator = "||" }),
  "csv.rows: option 'separator': expected one ASCII character, got \"||\"")
equal(failure(rows, "name,age\nAda,36\nBob\n").code, "ragged_row")
equal(failure(rows, "name,age\nAda,\"36\n").code, "unclosed_quote")
equal(failure(rows, "name,age\nAda\"x,36\n").code, "misplaced_quote")
