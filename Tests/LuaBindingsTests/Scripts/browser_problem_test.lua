-- browser.problem tells if a browser can be opened here, and if it can return to the program.

local browser = require "b2c.browser"
local support = require "support"
local equal = support.equal

-- The result depends on the machine. A problem is an error value that is returned, not raised.
local problem = browser.problem()
assert(problem == nil or (type(problem.message) == "string" and type(problem.hint) == "string"))

for _, agent in ipairs { "terminal", "webview" } do
  problem = browser.problem(agent)
  assert(problem == nil or (type(problem.message) == "string" and type(problem.hint) == "string"))
end
equal(support.message(browser.problem, "headless"),
  'browser.problem: argument 1: expected one of "system", "terminal", "webview", got "headless"')

equal(browser.redirect_problem("http://localhost/"), nil)
equal(browser.redirect_problem("http://127.0.0.1/signed-in"), nil)
equal(browser.redirect_problem(), nil)
equal(browser.redirect_problem("urn:ietf:wg:oauth:2.0:oob").code, "invalid_redirect_uri")
equal(browser.redirect_problem("https://app.example.com/").code, "invalid_redirect_uri")

-- The port of the test's own server is taken.
local url = require "b2c.tenant".url
problem = browser.redirect_problem(url .. "/")
equal(problem.code, "port_taken")
equal(problem.message,
  ("the browser cannot come back to port %s: another program listens there"):format(url:match "%d+$"))
