"""b2c-run signs in at an unmodified OpenID provider other than B2C. Its settings name only the authority.

Usage: provider.py PATH_OF_B2C_RUN
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SCRIPT = """
local b2c = require "b2c"
local account = b2c.accounts.sign_in { agent = "headless", username = "ada@example.com" }
assert(account.name == "ada@example.com", account.name)
assert(account.policy == nil)
local first = account:token():reveal()
assert(account:refresh():reveal() ~= first)
b2c.accounts.sign_out(account, { everywhere = true })
assert(#b2c.accounts.all() == 0)
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(url, process):
    for _ in range(100):
        assert process.poll() is None, "the provider has ended"
        try:
            return urllib.request.urlopen(url, timeout=5).read()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {url}")


def sign_in(program, folder, authority):
    """Runs the script with a new store."""
    settings = {
        "authority": authority,
        "bhh": "http://localhost:8123/callback",
        "clientID": "app",
        "clientSecret": "a-secret-for-the-test",
    }
    with open(f"{folder}/settings.json", "w", encoding="utf-8") as file:
        json.dump(settings, file)
    with open(f"{folder}/sign-in.lua", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    subprocess.run(
        [program, "--settings", "settings.json", "--store", "store", "sign-in.lua"],
        cwd=folder,
        timeout=60,
        check=True,
    )


def main(program):
    program = os.path.abspath(program)
    authority = f"http://127.0.0.1:{free_port()}"
    command = [f"{os.path.dirname(sys.executable)}/oidc-provider-mock", "--port", authority.rsplit(":", 1)[1]]
    provider = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"{authority}/.well-known/openid-configuration", provider)
        with tempfile.TemporaryDirectory() as folder:
            sign_in(program, folder, authority)
        print("oidc-provider-mock: signed in, refreshed, signed out everywhere")
    finally:
        provider.terminate()
        provider.wait()


main(sys.argv[1])
