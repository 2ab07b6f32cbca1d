"""Imports by several machines through PostgreSQL, with faults: cluster.py PROGRAM [--rows N] [--faults N] [--seed N] [--keys no]

A primary server and a synchronous standby, a local tenant, one importer and two helpers. Each machine reaches the database
by a proxy of its own. Faults at random: kill -9 of a helper and of the importer, a machine that is stopped for longer
than its lease and then goes on, a network that is cut off or resets connections, a crash of the primary, and once the
promotion of the standby. One helper has a clock that is two minutes ahead, if faketime is installed. At the end each
row must be there once; without idempotency keys, what is not known is reported and nothing is there twice.
"""

import argparse
import collections
import json
import os
import pwd
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LEASE = 3.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """Passes bytes to a port, until it is told to hold them or to reset connections."""

    def __init__(self, target):
        self.target, self.is_held, self.pairs = target, False, []
        self.port, self.lock = free_port(), threading.Lock()
        self.open()

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def close(self):
        """Refuses connections, as a machine without the server does: only then is the next server asked."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 2)
        except OSError:
            return client.close()
        with self.lock:
            self.pairs.append((client, server))
        try:
            while True:
                if self.is_held:
                    time.sleep(0.02)
                    continue
                ready, _, _ = select.select([client, server], [], [], 0.05)
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            client.close()
            server.close()

    def reset(self):
        with self.lock:
            for pair in self.pairs:
                for end in pair:
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
            self.pairs = []


class Postgres:
    programs = max((f"/usr/lib/postgresql/{v}/bin" for v in os.listdir("/usr/lib/postgresql")), default="")

    def __init__(self, folder, primary=None):
        self.folder, self.port = folder, free_port()
        owner = pwd.getpwnam("postgres")
        os.makedirs(folder)
        if os.getuid() == 0:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        if primary is None:
            self.tool("initdb", "-D", f"{folder}/data", "-U", "b2c", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        else:
            self.tool("pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "b2c", "-D", f"{folder}/data",
                      "-R", "-X", "stream", "-c", "fast", "--no-sync")
        with open(f"{folder}/data/postgresql.conf", "a") as config:
            config.write(f"port = {self.port}\nunix_socket_directories = '{folder}'\nlisten_addresses = '127.0.0.1'\n"
                         "max_connections = 60\nwal_sender_timeout = 3s\n")
        self.start()

    def tool(self, name, *words, check=True):
        owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        run = subprocess.run(owner + [f"{self.programs}/{name}", *words], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, timeout=90, cwd="/")
        if check and run.returncode:
            sys.exit(f"{name}: {run.stderr.decode()}")

    def start(self):
        owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        subprocess.run(owner + [f"{self.programs}/pg_ctl", "-D", f"{self.folder}/data", "-w", "-t", "60", "-l",
                                f"{self.folder}/log", "start"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, cwd="/")

    def crash(self):
        self.tool("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop", check=False)

    def promote(self):
        self.tool("pg_ctl", "-D", f"{self.folder}/data", "-w", "promote")

    def sql(self, text, database="postgres"):
        return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "b2c", "-c", text,
                               database], capture_output=True, text=True).stdout.strip()


class Machine:
    """A process of the program with its own way to the database."""

    def __init__(self, cluster, name, words, ahead=0):
        self.cluster, self.name, self.words, self.ahead = cluster, name, words, ahead
        self.proxies = [Proxy(server.port) for server in cluster.servers]
        self.process = None
        self.start()

    @property
    def store(self):
        hosts = ",".join(f"127.0.0.1:{proxy.port}" for proxy in self.proxies)
        return f"postgresql://b2c@{hosts}/b2c?connect_timeout=2"

    def command(self, *words):
        return [self.cluster.program, "--settings", self.cluster.settings, "--store", self.store, "--machine", self.name, *words]

    def start(self):
        command = self.command(*self.words)
        if self.ahead and shutil.which("faketime"):
            command = ["faketime", "-f", f"+{self.ahead}s", *command]
        log = open(f"{self.cluster.folder}/{self.name}.log", "ab")
        # The signals of the shell's background jobs are not inherited.
        self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True,
                                        env=dict(os.environ, B2C_RUN_LEASE=str(LEASE)))

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def is_running(self):
        return self.process.poll() is None


class Cluster:
    def __init__(self, folder, arguments):
        self.folder, self.program, self.arguments = folder, os.path.abspath(arguments.program), arguments
        self.random = random.Random(arguments.seed)
        primary = Postgres(f"{folder}/primary")
        primary.sql("CREATE DATABASE b2c")
        standby = Postgres(f"{folder}/standby", primary)
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.sql("SELECT pg_reload_conf()")
        self.servers, self.active, self.has_promoted = [primary, standby], 0, False
        self.settings = f"{folder}/settings.plist"
        with open(self.settings, "wb") as settings:
            self.tenant = subprocess.Popen([self.program, "tenant", "--data", f"{folder}/tenant.db"], stdout=settings,
                                           stderr=subprocess.DEVNULL, start_new_session=True)
        while not os.path.getsize(self.settings):
            time.sleep(0.1)
        self.source = f"{folder}/rows.csv"
        with open(self.source, "w") as rows:
            rows.write("Text\n")
            rows.writelines(f"task {number}\n" for number in range(arguments.rows))

    def end(self):
        for server in self.servers:
            server.crash()
        self.tenant.terminate()
        self.tenant.wait()

    def sign_in(self, machine):
        script = f"{self.folder}/sign-in.lua"
        with open(script, "w") as file:
            file.write('require "b2c".accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }\n')
        subprocess.run(machine.command("--quiet", "-A", script), check=True, timeout=60)

    def run(self):
        flags = ["--progress", "none", "--failed", "none", "--settle-after", "1", "--wait", "120"]
        if self.arguments.keys == "no":
            flags += ["--idempotency-key", "no"]
        first = Machine.__new__(Machine)
        first.cluster, first.name, first.ahead = self, "one", 0
        first.words = ["import", self.source, *flags]
        first.proxies = [Proxy(server.port) for server in self.servers]
        self.sign_in(first)
        first.start()
        machines = [first, Machine(self, "two", ["work", "--progress", "none"]),
                    Machine(self, "three", ["work", "--progress", "none"], ahead=120)]
        counts = collections.Counter()
        start = time.time()
        while sum(counts.values()) < self.arguments.faults and time.time() - start < self.arguments.seconds:
            time.sleep(self.random.uniform(0.2, 2.0))
            for machine in machines:
                if not machine.is_running():
                    if machine is first and machine.process.returncode in (0, 5):
                        continue
                    counts["begun again"] += 0
                    machine.start()
            if first.process.poll() in (0, 5):
                break
            counts[self.fault(machines)] += 1
        return machines, counts

    def fault(self, machines):
        kinds = ["kill"] * 4 + ["stop", "cut", "reset", "reset", "crash"]
        if not self.has_promoted:
            kinds.append("promote")
        kind, machine = self.random.choice(kinds), self.random.choice(machines)
        if kind == "kill":
            if machine.is_running():
                machine.kill()
            return f"kill -9 of {'the importer' if machine is machines[0] else 'a helper'}"
        if kind == "stop":
            if machine.is_running():
                os.killpg(machine.process.pid, signal.SIGSTOP)
                time.sleep(3 * LEASE)
                os.killpg(machine.process.pid, signal.SIGCONT)
            return "stopped for three leases"
        if kind == "cut":
            for proxy in machine.proxies:
                proxy.is_held = True
            time.sleep(3 * LEASE)
            for proxy in machine.proxies:
                proxy.is_held = False
            return "network cut for three leases"
        if kind == "reset":
            for proxy in machine.proxies:
                proxy.reset()
            return "connections reset"
        server, ways = self.servers[self.active], [machine.proxies[self.active] for machine in machines]
        for proxy in ways:
            proxy.close()
        server.crash()
        if kind == "promote":
            self.active, self.has_promoted = 1, True
            self.servers[1].promote()
            self.servers[1].sql("ALTER SYSTEM RESET synchronous_standby_names")
            self.servers[1].sql("ALTER SYSTEM SET synchronous_standby_names = ''")
            self.servers[1].sql("SELECT pg_reload_conf()")
            return "promotion of the standby"
        time.sleep(self.random.uniform(0, 2))
        server.start()
        for proxy in ways:
            proxy.open()
        return "crash of the primary"

    def finish(self, machines):
        """Lets the import come to its end. Returns the report."""
        first = machines[0]
        if first.is_running():
            try:
                first.process.wait(120)
            except subprocess.TimeoutExpired:
                first.kill()
        report = f"{self.folder}/report.json"
        for _ in range(3):
            last = subprocess.run(first.command(*first.words, "--report", report), capture_output=True, text=True, timeout=240,
                                  env=dict(os.environ, B2C_RUN_LEASE=str(LEASE)))
            if last.returncode in (0, 5):
                break
        else:
            sys.exit(f"the import does not end: {last.stdout}{last.stderr}")
        for machine in machines[1:]:
            if machine.is_running():
                machine.kill()
        with open(report) as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keys", default="yes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.environ["HOME"] = f"{folder}/home"
        os.mkdir(os.environ["HOME"])
        cluster = Cluster(folder, arguments)
        try:
            start = time.time()
            machines, counts = cluster.run()
            report = cluster.finish(machines)
            seconds = time.time() - start
            exported = f"{folder}/out.json"
            subprocess.run(machines[0].command("--quiet", "export", exported), check=True, timeout=120)
            with open(exported) as file:
                found = collections.Counter(task["text"] for task in json.load(file))
            taken = [line for name in ("one", "two", "three")
                     for line in open(f"{folder}/{name}.log", errors="replace") if "has died" in line or "taken" in line]
        finally:
            cluster.end()
    rows = arguments.rows
    lost = sum(1 for number in range(rows) if not found[f"task {number}"])
    doubled = sum(count - 1 for count in found.values() if count > 1)
    facts = {key: report.get(key) or report.get("rows", {}).get(key, 0) for key in ("added", "failed", "unsettled")}
    for kind, count in sorted(counts.items()):
        if count:
            print(f"  {kind}: {count}")
    print(f"seed {arguments.seed} rows {rows} keys {arguments.keys} seconds {seconds:.0f} taken over {len(taken)} "
          f"added {facts['added']} failed {facts['failed']} unsettled {facts['unsettled']} lost {lost} doubled {doubled}")
    if doubled or lost > facts["unsettled"] or facts["added"] + facts["failed"] + facts["unsettled"] != rows:
        sys.exit("the import has lost or doubled rows")
    if arguments.keys != "no" and (lost or facts["unsettled"]):
        sys.exit("with idempotency keys each row is known and there once")


main()
