-- Changes the locale of the whole process, so that numbers in JSON and SQL get commas.
-- From: os.setlocale in Lua's manual: "this function may be not thread safe"; Redis removed it.
local e = require "support"
for _, name in ipairs { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8", "POSIX", "", "en_US.UTF-8" } do
  e.fails(os.setlocale, name)
  e.fails(os.setlocale, name, "numeric")
end
if os.setlocale() ~= "C" then e.escaped "the locale is another" end
e.held()
