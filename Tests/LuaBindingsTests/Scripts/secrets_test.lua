-- b2c.secrets: the names of secrets. SecretsCommandTests has the secrets themselves, which belong to a person.

local b2c = require "b2c"

for _, name in ipairs { "", "a/b", "../key", ".hidden", "-x", ("x"):rep(129) } do
  local ok, problem = pcall(b2c.secrets.get, name)
  assert(not ok and problem.code == "no_secret", name)
  assert(problem.hint == "a name has letters, digits, dots, - and _", problem.hint)
end

local ok, problem = pcall(b2c.secrets.get, 1)
assert(not ok and problem.message == "secrets.get: argument 1: expected a string, got number", problem.message)
