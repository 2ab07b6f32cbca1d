"""Unmodified MCP clients, the packages mcp and fastmcp, use `b2c-run mcp` over standard input and output and over HTTP, and
`b2c.mcp` uses a server of fastmcp.

Usage: agents.py PATH_OF_B2C_RUN
"""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time

import fastmcp
import mcp
import requests
from fastmcp.client.auth import BearerAuth
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp.client.stdio import StdioServerParameters, stdio_client

PROGRAM = os.path.abspath(sys.argv[1])
SCRIPT = """local b2c = require "b2c"
local options = b2c.term.options {
  summary = "Greets a person.",
  positions = { { "NAME", "the person" } },
  options = { { "--times N", "how often", type = "integer", default = 1 } },
}
for _ = 1, options.times do print("Hello " .. options[1]) end
"""


SERVER = """
import sys
from dataclasses import dataclass
from fastmcp import Context, FastMCP

server = FastMCP("third party")

@dataclass
class Name:
    name: str

@server.tool
async def work(n: int, ctx: Context) -> str:
    for step in range(n):
        await ctx.report_progress(step + 1, n, f"step {step + 1}")
    return "done"

@server.tool
async def ask(ctx: Context) -> str:
    reply = await ctx.elicit("Who is there?", Name)
    return f"{reply.action} {reply.data.name}"

@server.resource("note://one")
def note() -> str:
    return "a note"

@server.prompt
def greet(who: str) -> str:
    return f"Greet {who}"

server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
"""
CLIENT = """
local b2c = require "b2c"
local server <close> = b2c.mcp.connect(b2c.args[1], {
  version = b2c.args[2], on_question = function(question) return { name = "Lua" } end,
})
assert(server.version == b2c.args[2] and server.server == "third party")
local steps = {}
local result = server:call("work", { n = 3 }, {
  on_progress = function(progress) steps[#steps + 1] = progress.message end,
})
assert(result.text == "done" and table.concat(steps, ",") == "step 1,step 2,step 3", table.concat(steps, ","))
-- A server of fastmcp asks in sessions alone.
if server.version ~= "2026-07-28" then assert(server:call("ask").text == "accept Lua") end
assert(server:read(server:resources()[1].uri)[1].text == "a note")
assert(server:prompt(server:prompts()[1].name, { who = "you" })[1].content.text == "Greet you")
local ok, problem = pcall(server.call, server, "work", { n = "x" })
assert(not ok and problem.code == "tool_failed")
"""


async def approve(message, response_type, params, context):
    """The person in front of the client, who sees the change."""
    assert "Buy milk" in message and "sha256:" in message, message
    return response_type(approve=True)


async def work(client):
    """Lists, plans, applies with an approval, and runs a script."""
    tools = {tool.name for tool in await client.list_tools()}
    assert {"tasks_list", "import_plan", "plan_apply", "hello"} <= tools, tools
    before = (await client.call_tool("tasks_list", {})).structured_content["tasks"]
    plan = (await client.call_tool("tasks_add", {"tasks": [{"text": "Buy milk"}]})).structured_content["plan"]
    assert len((await client.call_tool("tasks_list", {})).structured_content["tasks"]) == len(before)
    done = await client.call_tool("plan_apply", {"plan": plan})
    assert done.structured_content["complete"], done
    after = (await client.call_tool("tasks_list", {})).structured_content["tasks"]
    assert len(after) == len(before) + 1, after
    hello = await client.call_tool("hello", {"name": "--times=5", "times": 2})
    assert hello.content[0].text.count("Hello --times=5") == 2, hello
    again = await client.call_tool("plan_apply", {"plan": plan}, raise_on_error=False)
    assert again.is_error, again


async def stdio(folder, env):
    words = ["--quiet", "--settings", "settings.plist", "mcp", "scripts", "--reads", "hello"]
    transport = StdioTransport(PROGRAM, words, env=env, cwd=folder)
    async with fastmcp.Client(transport, elicitation_handler=approve) as client:
        await work(client)
    print("fastmcp over standard input and output: ok")
    server = StdioServerParameters(command=PROGRAM, args=words, env=env, cwd=folder)
    async with stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
        begun = await session.initialize()
        assert (await session.list_tools()).tools
        result = await session.call_tool("tasks_add", {"tasks": [{"text": "Buy bread"}]})
        plan = result.structured_content["plan"]
        waits = await session.call_tool("plan_apply", {"plan": plan})
        assert waits.structured_content["state"] == "waiting", waits
        print(f"mcp {begun.protocol_version} over standard input and output: ok")


def sign_in(folder, env):
    """Signs alice in. Returns her access token and her subject."""
    chunk = """
    print(b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }.claims.sub)
    """

    def output(*words):
        run = subprocess.run([PROGRAM, "--quiet", *words], cwd=folder, env=env, check=True, capture_output=True, text=True)
        return run.stdout.strip()

    subject = output("-e", chunk)
    return output("token", "--reveal"), subject


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(port):
    for _ in range(400):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)


async def http(folder, env, token, subject):
    port = free_port()
    server = subprocess.Popen(
        [PROGRAM, "--settings", "settings.plist", "mcp", "scripts", "--reads", "hello", "--listen", str(port)]
        + ["--sign-in", "settings.plist", "--allow-subject", subject],
        cwd=folder, env=env, stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/mcp"
        wait_for(port)
        transport = StreamableHttpTransport(url, auth=BearerAuth(token))
        async with fastmcp.Client(transport, elicitation_handler=approve) as client:
            await work(client)
        print("fastmcp over HTTP: ok")
        response = requests.post(url, json={})
        assert response.status_code == 401, response
        metadata = response.headers["WWW-Authenticate"].split('resource_metadata="')[1].split('"')[0]
        found = requests.get(metadata).json()
        assert found["resource"] == url and found["authorization_servers"], found
        forged = requests.post(url, json={}, headers={"Authorization": f"Bearer {token[:-4]}AAAA"})
        assert forged.status_code == 401 and "invalid_token" in forged.headers["WWW-Authenticate"], forged
        assert requests.get(metadata, headers={"Host": "evil.example"}).status_code == 403
        print("the sign-in over HTTP: ok")
    finally:
        server.terminate()
        server.wait()


def serve(folder, env):
    """A script uses a server of fastmcp, in each version that both speak."""
    for name, text in (("server.py", SERVER), ("client.lua", CLIENT)):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "server.py", str(port)], cwd=folder, env=env, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        for version in ("2026-07-28", "2025-11-25", "2025-06-18"):
            words = ["--quiet", "--allow-net", "client.lua", f"http://127.0.0.1:{port}/mcp", version]
            subprocess.run([PROGRAM, *words], cwd=folder, env=env, check=True)
            print(f"b2c.mcp {version} with a server of fastmcp: ok")
    finally:
        server.terminate()
        server.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/scripts")
        with open(f"{folder}/scripts/hello.lua", "w") as file:
            file.write(SCRIPT)
        env = {"HOME": folder, "PATH": "/usr/bin:/bin"}
        tenant = subprocess.Popen(
            [PROGRAM, "--quiet", "tenant"], cwd=folder, env=env, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        try:
            settings = ""
            while "</plist>" not in settings:
                settings += tenant.stdout.readline()
            with open(f"{folder}/settings.plist", "w") as file:
                file.write(settings)
            token, subject = sign_in(folder, env)
            asyncio.run(stdio(folder, env))
            asyncio.run(http(folder, env, token, subject))
            serve(folder, env)
        finally:
            tenant.terminate()
            tenant.wait()


main()
