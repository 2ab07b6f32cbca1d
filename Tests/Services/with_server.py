"""Runs a command with a task service: with_server.py SERVICE COMMAND...

SERVICE is radicale or xandikos, which are real CalDAV servers, or todoist, microsoft or github, which are stand-ins. The
service listens on a free port of the loopback interface and keeps its data in a temporary folder. The command gets its
address as SERVICE_URL. Radicale has the user alice with the password Wonderland-7; Xandikos has no sign-in.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=1)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def radicale(folder, port):
    with open(f"{folder}/users", "w") as users:
        users.write("alice:Wonderland-7\n")
    with open(f"{folder}/config", "w") as config:
        config.write(
            f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = {folder}/users\n"
            f"htpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = {folder}/data\n[logging]\nlevel = error\n")
    return ["radicale", "--config", f"{folder}/config"]


def xandikos(folder, port):
    return ["xandikos", "-d", f"{folder}/data", "-l", "127.0.0.1", "-p", str(port), "--defaults",
            "--current-user-principal", "/alice/"]


def stand_in(kind):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "StandIns", f"{kind}.py")
    return lambda folder, port: [sys.executable, script, "--port", str(port)]


def calendar(url, user):
    request = urllib.request.Request(
        url, method="MKCOL", headers={"Content-Type": "application/xml"},
        data=b'<d:mkcol xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop><d:resourcetype><d:collection/>'
             b'<c:calendar/></d:resourcetype><d:displayname>Home</d:displayname><c:supported-calendar-component-set>'
             b'<c:comp name="VTODO"/></c:supported-calendar-component-set></d:prop></d:set></d:mkcol>')
    if user:
        request.add_header("Authorization", "Basic YWxpY2U6V29uZGVybGFuZC03")
    try:
        urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        print(f"MKCOL {url}: {error.code}", file=sys.stderr)


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        os.mkdir(f"{folder}/data")
        with open(f"{folder}/log", "wb") as log:
            server = subprocess.Popen(
                {"radicale": radicale, "xandikos": xandikos}.get(kind, stand_in(kind))(folder, port), stdout=log, stderr=log,
                env=dict(os.environ, HOME=folder))
        url = f"http://127.0.0.1:{port}/"
        try:
            deadline = time.time() + 30
            while not answers(url):
                if time.time() > deadline or server.poll() is not None:
                    sys.exit(open(f"{folder}/log").read() or f"{kind} does not answer")
                time.sleep(0.1)
            if kind == "radicale":
                calendar(url + "alice/home/", True)
            environment = dict(os.environ, SERVICE_URL=url if kind in ("radicale", "xandikos") else url[:-1])
            code = subprocess.run(command, env=environment).returncode
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
        sys.exit(code)


main()
