"""Unmodified MCP clients, the packages mcp and fastmcp, use `b2c-run mcp` over standard input and output and over HTTP.

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


async def http(folder, env, token, subject):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = subprocess.Popen(
        [PROGRAM, "--settings", "settings.plist", "mcp", "scripts", "--reads", "hello", "--listen", str(port)]
        + ["--sign-in", "settings.plist", "--allow-subject", subject],
        cwd=folder, env=env, stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/mcp"
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
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
        finally:
            tenant.terminate()
            tenant.wait()


main()
