"""Three machines with PostgreSQL and faults: cluster.py PROGRAM [--rows N] [--faults N] [--seed N] [--keys no] [--pooler yes]

A primary server and a synchronous standby, a local tenant, and three machines. One imports and the others help; all serve
the same jobs. The clock of one is two minutes ahead, if faketime is installed. Faults happen at random; the same seed
gives the same ones. Then the invariants are checked: the rows, the results of blocks, the refreshes of the account, the due
times of the jobs, and the time until a run goes on.
"""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import invariants
import network

from faults import Faults
from machines import Machine
from servers import Pooler, Postgres, Tenant

HERE = os.path.dirname(os.path.abspath(__file__))


class Cluster:
    def __init__(self, folder, arguments, ways):
        self.folder, self.program, self.arguments = folder, os.path.abspath(arguments.program), arguments
        self.network, self.lease, self.went_on = ways, arguments.lease, []
        self.servers, self.active, self.machines, self.pooler = [], 0, [], None
        self.start = time.time()

    def prepare(self):
        primary = Postgres(f"{self.folder}/primary", self.network)
        self.servers.append(primary)
        primary.make_database()
        self.servers.append(Postgres(f"{self.folder}/standby", self.network, primary))
        primary.wait_for_standby()
        if self.arguments.pooler == "yes":
            self.pooler = Pooler(self.folder, self.network, primary)
        self.tenant = Tenant(self.program, self.folder)
        self.network.open_tenant(self.tenant.port)
        source = f"{self.folder}/rows.csv"
        with open(source, "w") as rows:
            rows.write("Text\n")
            rows.writelines(f"task {number}\n" for number in range(self.arguments.rows))
        shutil.copytree(f"{HERE}/jobs", f"{self.folder}/jobs")
        for name in ("ticks.log", "long.log"):
            open(f"{self.folder}/{name}", "w").close()
        flags = ["--progress", "none", "--failed", "none", "--settle-after", "1", "--wait", "120", "--timeout", "3"]
        if self.arguments.keys == "no":
            flags += ["--idempotency-key", "no"]
        # The import is to last as long as the faults.
        self.rate = ["--rate", str(max(20, self.arguments.rows // (6 * self.arguments.faults)))]
        work = ["work", "--progress", "none"]
        self.machines = [Machine(self, "one", ["import", source, *flags]), Machine(self, "two", work),
                         Machine(self, "three", work, ahead=120)]
        first = self.machines[0]
        first.run("store", "upgrade")
        self.sql(invariants.NOTES)
        script = f"{self.folder}/sign-in.lua"
        with open(script, "w") as file:
            file.write('require "b2c".accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }\n')
        first.run("--quiet", "-A", script)
        # The tokens of the sign-in are no refresh.
        self.sql("TRUNCATE notes.generation")
        for machine in self.machines:
            machine.server.start()
        self.wait(lambda: self.sql("SELECT count(*) FROM job") == "2", 30)
        for job in ("tick", "long"):
            first.run("jobs", "allow", job, "--yes", "--state", f"{self.folder}/state-one")

    @property
    def ends(self):
        """What the machines connect to."""
        return [self.pooler] if self.pooler else self.servers

    @property
    def server(self):
        return self.servers[self.active]

    def server_is_away(self, is_away):
        for machine in self.machines if not self.pooler else []:
            machine.way.server_is_away(self.active, is_away)

    def sql(self, text):
        return self.server.sql(text, "b2c")

    def read(self, name):
        with open(f"{self.folder}/{name}", errors="replace") as file:
            return file.read()

    def wait(self, condition, seconds):
        deadline = time.time() + seconds
        while time.time() < deadline:
            if found := condition():
                return found
            time.sleep(0.05)
        return None

    def start_what_ended(self):
        first = self.machines[0].sender
        for machine in self.machines:
            for process in machine.processes:
                if not process.is_running and not (process is first and process.process and process.status in (0, 5)):
                    process.start(*(self.rate if process is first else []))

    def run(self):
        """Lets faults happen while the import goes on. Returns how many of each kind did."""
        faults, counts = Faults(self, self.arguments.seed), collections.Counter()
        pauses = random.Random(self.arguments.seed)
        with open(f"{self.folder}/faults.log", "w", buffering=1) as log:
            while sum(counts.values()) < self.arguments.faults and time.time() - self.start < self.arguments.seconds:
                self.start_what_ended()
                time.sleep(pauses.uniform(0.2, 2.0))
                if self.machines[0].sender.status in (0, 5):
                    break
                name = faults.next()
                counts[name] += 1
                log.write(f"{time.strftime('%H:%M:%S')} {name}\n")
        return counts

    def finish(self):
        """Lets the import and the runs come to their ends. Returns the report of the import."""
        self.start_what_ended()
        self.sql("UPDATE import SET rate = NULL")
        first, report = self.machines[0], f"{self.folder}/report.json"
        if first.sender.is_running:
            try:
                first.sender.process.wait(120)
            except subprocess.TimeoutExpired:
                first.sender.kill()
        # A block that ended five workers is held until the next import.
        for _ in range(6):
            last = first.run(*first.sender.words, "--report", report, check=False, timeout=240)
            if last.returncode in (0, 5):
                break
        else:
            raise SystemExit(f"the import does not end: {last.stdout}{last.stderr}")
        for machine in self.machines[1:]:
            machine.sender.end()
        for job in ("tick", "long"):
            first.run("jobs", "pause", job, "--state", f"{self.folder}/state-one")
        is_open = "SELECT count(*) FROM run WHERE state NOT IN ('ok', 'failed', 'timed out', 'interrupted', 'skipped', 'canceled')"
        self.wait(lambda: self.sql(is_open) == "0", 90)
        for machine in self.machines:
            machine.server.end()
        with open(report) as file:
            return json.load(file)

    def end(self):
        for machine in self.machines:
            for process in machine.processes:
                if process.is_running:
                    process.kill()
        if hasattr(self, "tenant"):
            self.tenant.end()
        if self.pooler:
            self.pooler.kill()
        for server in self.servers:
            server.end()


def check(cluster, report):
    """Prints the figures. Returns the broken invariants."""
    broken = []
    for figures, problems in (invariants.rows(cluster, report), invariants.results(cluster), invariants.refreshes(cluster),
                              invariants.ticks(cluster), invariants.runs(cluster)):
        print(f"  {figures}")
        broken += problems
    return broken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keys", choices=["yes", "no"], default="yes")
    parser.add_argument("--pooler", choices=["yes", "no"], default="no", help="PgBouncer is between the machines and the server")
    parser.add_argument("--lease", type=float, default=3.0, help="seconds; a machine without a sign of life for so long is dead")
    arguments = parser.parse_args()
    reason = network.enter()
    ways = network.Proxies(reason) if reason else network.Namespaces()
    print(f"seed {arguments.seed} keys {arguments.keys} pooler {arguments.pooler} lease {arguments.lease:g} s, {ways.shown}", flush=True)
    folder = tempfile.mkdtemp(prefix="b2c-run-cluster-")
    os.chmod(folder, 0o755)
    os.environ.update(HOME=f"{folder}/home", B2C_RUN_LEASE=f"{arguments.lease:g}")
    os.mkdir(os.environ["HOME"])
    cluster, broken = Cluster(folder, arguments, ways), []
    try:
        cluster.prepare()
        counts = cluster.run()
        report = cluster.finish()
        seconds = time.time() - cluster.start
        for kind, count in sorted(counts.items()):
            print(f"  {kind}: {count}")
        logs = "".join(cluster.read(f"{machine.name}-sender.log") for machine in cluster.machines)
        print(f"  seconds {seconds:.0f} faults {sum(counts.values())} taken over {logs.count(' has died: its ')} "
              f"begun anew {logs.count('others have taken its blocks over')}")
        broken = check(cluster, report)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        broken.append(str(error) or type(error).__name__)
        if not isinstance(error, (SystemExit, KeyboardInterrupt)):
            traceback.print_exc()
    finally:
        cluster.end()
        if broken:
            for sentence in broken[:20]:
                print(sentence, file=sys.stderr)
            print(f"seed {arguments.seed}: the logs are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    if broken:
        sys.exit(1)


main()
