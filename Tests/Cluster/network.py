"""The ways of the machines to the servers: network namespaces, or proxies where namespaces are not allowed.

With namespaces, the whole test is in a network, mount and process namespace of its own. Each machine has a further network
namespace behind a bridge, so that a partition is a rule of the kernel there. The tenant is reached on the machine's own
loopback, because its settings name a loopback address.
"""

import os
import select
import shutil
import socket
import subprocess
import sys
import threading
import time

INSIDE = "B2C_RUN_CLUSTER_NETWORK"
NEEDED = ["unshare", "nsenter", "ip", "nft", "mount"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def enter():
    """Starts this program again in namespaces of its own if they are allowed. Returns the reason if they are not."""
    if os.environ.get(INSIDE):
        return None
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        return f"{missing[0]} is not installed"
    if os.getuid() != 0:
        return "they need root, and PostgreSQL a second user"
    words = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    probe = "ip link add probe type bridge && nft add table ip probe && echo 1 >/proc/sys/net/ipv4/conf/all/route_localnet"
    tried = subprocess.run([*words, "sh", "-c", probe], capture_output=True, text=True)
    if tried.returncode:
        return (tried.stderr.strip().splitlines() or ["unshare failed"])[-1]
    os.environ[INSIDE] = "1"
    os.execvp(words[0], [*words, sys.executable, *sys.argv])


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")


class Namespaces:
    """A bridge with the servers, and a namespace for each machine."""

    shown = "each machine has a network namespace"
    address, listens, allowed = "10.77.0.1", "*", "10.77.0.0/24"
    reaches_tenant = has_mounts = True

    def __init__(self):
        # The semaphores of faketime have the numbers of processes, which begin anew here.
        run("mount", "-t", "tmpfs", "none", "/dev/shm")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "servers", "type", "bridge")
        run("ip", "address", "add", f"{self.address}/24", "dev", "servers")
        run("ip", "link", "set", "servers", "up")
        allow_loopback()
        # Not each kernel has it.
        netem = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "0ms"]
        self.can_slow = bool(shutil.which("tc")) and subprocess.run(netem, capture_output=True).returncode == 0
        if self.can_slow:
            run("tc", "qdisc", "del", "dev", "lo", "root")
        self.count = 0

    def open_tenant(self, port):
        """The tenant listens on loopback. The machines reach it by the bridge."""
        self.tenant = port
        run("nft", "-f", "-", text=f"""
            add table ip tenant
            add chain ip tenant in {{ type nat hook prerouting priority -100; }}
            add rule ip tenant in ip daddr {self.address} tcp dport {port} dnat to 127.0.0.1:{port}
            """)

    def way(self, servers):
        self.count += 1
        return Namespace(self, self.count, [server.port for server in servers])


def allow_loopback(prefix=()):
    run(*prefix, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/conf/all/route_localnet")


class Namespace:
    """The network of one machine."""

    def __init__(self, network, number, databases):
        self.network, self.ports = network, {"database": databases, "tenant": [network.tenant]}
        self.hosts = ",".join(f"{network.address}:{port}" for port in databases)
        ready, tell = os.pipe()
        # A namespace lasts as long as a process in it.
        holder = subprocess.Popen(["unshare", "--net", "sh", "-c", f"echo >&{tell}; exec sleep 86400"], pass_fds=[tell])
        os.read(ready, 1)
        self.prefix = ["nsenter", "-t", str(holder.pid), "-n", "--"]
        run("ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        run("ip", "link", "set", f"to{number}", "master", "servers", "up")
        run(*self.prefix, "ip", "address", "add", f"10.77.0.{10 + number}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            run(*self.prefix, "ip", "link", "set", device, "up")
        allow_loopback(self.prefix)
        port = network.tenant
        self.rules(f"""
            add table ip tenant
            add chain ip tenant out {{ type nat hook output priority -100; }}
            add rule ip tenant out ip daddr 127.0.0.1 tcp dport {port} dnat to {network.address}:{port}
            add chain ip tenant after {{ type nat hook postrouting priority 100; }}
            add rule ip tenant after oif eth0 masquerade
            add table ip cut
            add chain ip cut out {{ type filter hook output priority 0; }}
            add chain ip cut in {{ type filter hook input priority 0; }}
            """)

    def rules(self, text):
        run(*self.prefix, "nft", "-f", "-", text=text)

    def cut(self, service, how):
        """Cuts the machine off from "database" or "tenant": "hang" in both directions, "deaf" for what the service answers,
        "refuse" with resets."""
        ports = "{ " + ", ".join(str(port) for port in self.ports[service]) + " }"
        out, answers = f"add rule ip cut out tcp dport {ports}", f"add rule ip cut in tcp sport {ports} drop"
        self.rules({"hang": f"{out} drop\n{answers}", "deaf": answers, "refuse": f"{out} reject with tcp reset"}[how])

    def slow(self, is_slow):
        """A bad line: delays, and packets that get lost."""
        words = ["add", "dev", "eth0", "root", "netem", "delay", "60ms", "30ms", "loss", "5%"] if is_slow else [
            "del", "dev", "eth0", "root"]
        run(*self.prefix, "tc", "qdisc", *words)

    def heal(self):
        self.rules("flush table ip cut")

    def server_is_away(self, _, __):
        """The kernel refuses connections to a port on which nobody listens."""


class Proxies:
    """All on loopback. Each machine has a proxy for each server of the database."""

    address, listens, allowed = "127.0.0.1", "127.0.0.1", None
    reaches_tenant = has_mounts = False

    def __init__(self, reason):
        self.shown = (f"no network namespaces ({reason}): each machine has proxies to the database; partitions of the API and "
                      "full disks are left out")

    def open_tenant(self, _):
        """All machines are on its loopback."""

    def way(self, servers):
        return ProxyWay([Proxy(server.port) for server in servers])


class ProxyWay:
    def __init__(self, proxies):
        self.proxies, self.prefix = proxies, []
        self.hosts = ",".join(f"127.0.0.1:{proxy.port}" for proxy in proxies)

    def cut(self, _, how):
        for proxy in self.proxies:
            if how == "refuse":
                proxy.close()
                proxy.reset()
            else:
                proxy.is_held = True

    def heal(self):
        for proxy in self.proxies:
            proxy.is_held = False
            if not proxy.is_open:
                proxy.open()

    def server_is_away(self, number, is_away):
        """Refuses connections, as a machine without the server does: only then is the next server asked."""
        proxy = self.proxies[number]
        if is_away and proxy.is_open:
            proxy.close()
        elif not is_away and not proxy.is_open:
            proxy.open()


class Proxy:
    """Passes bytes to a port, until it is told to hold them or to reset connections."""

    def __init__(self, target):
        self.target, self.is_held, self.pairs = target, False, []
        self.port, self.lock = free_port(), threading.Lock()
        self.open()

    def open(self):
        self.is_open = True
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def close(self):
        self.is_open = False
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
