"""The machines of a cluster: each sends rows of the import, and serves the jobs."""

import os
import shutil
import signal
import subprocess

from contextlib import contextmanager


class Process:
    """A process of the program on a machine, which is started again and again."""

    def __init__(self, machine, name, words):
        self.machine, self.words, self.process = machine, words, None
        self.log = f"{machine.cluster.folder}/{machine.name}-{name}.log"

    def start(self, *more):
        with open(self.log, "ab") as log:
            # The signals of the shell's background jobs are not inherited.
            self.process = subprocess.Popen(self.machine.command(*self.words, *more), stdout=log, stderr=log,
                                            start_new_session=True, cwd=self.machine.cluster.folder)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def status(self):
        return self.process.poll()

    def signal(self, number):
        if self.is_running:
            os.killpg(self.process.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True


class Machine:
    """A machine with its own way to the servers, and perhaps a clock that is ahead."""

    def __init__(self, cluster, name, words, ahead=0):
        self.cluster, self.name, self.ahead = cluster, name, ahead
        self.way = cluster.network.way(cluster.ends)
        self.sender = Process(self, "sender", words)
        self.server = Process(self, "server", ["serve", "jobs", "--state", f"{cluster.folder}/state-{name}"])

    @property
    def processes(self):
        return [self.sender, self.server]

    def command(self, *words):
        clock = ["faketime", "-f", f"+{self.ahead}s"] if self.ahead and shutil.which("faketime") else []
        store = f"postgresql://b2c@{self.way.hosts}/b2c?connect_timeout=2"
        return [*self.way.prefix, *clock, self.cluster.program, "--settings", self.cluster.tenant.settings, "--store", store,
                "--machine", self.name, *words]

    def run(self, *words, check=True, timeout=120):
        """Runs a command to its end."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=timeout, cwd=self.cluster.folder)
        if check and done.returncode:
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode} on the machine {self.name}: {done.stdout}{done.stderr}")
        return done

    @contextmanager
    def paused(self):
        for process in self.processes:
            process.signal(signal.SIGSTOP)
        yield
        for process in self.processes:
            process.signal(signal.SIGCONT)

    @contextmanager
    def cut_off(self, service, how):
        self.way.cut(service, how)
        yield
        self.way.heal()
