"""A stand-in for a PostgreSQL server of an old version: it lets everybody in and answers SHOW. It prints its port."""

import socket
import struct
import sys


def message(kind, body):
    return kind + struct.pack("!I", len(body) + 4) + body


def read(client, size):
    data = b""
    while len(data) < size:
        part = client.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


READY = message(b"Z", b"I")
OFF = (message(b"T", struct.pack("!h", 1) + b"setting\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, 0))
       + message(b"D", struct.pack("!hi", 1, 3) + b"off") + message(b"C", b"SHOW\0") + READY)


def serve(client, version):
    while True:
        size = struct.unpack("!I", read(client, 4))[0]
        code = struct.unpack("!I", read(client, size - 4)[:4])[0]
        if code == 196608:
            break
        client.sendall(b"N")
    client.sendall(message(b"R", struct.pack("!I", 0)) + message(b"S", b"server_version\0" + version.encode() + b"\0") + READY)
    while True:
        kind, size = read(client, 1), struct.unpack("!I", read(client, 4))[0]
        read(client, size - 4)
        if kind == b"X":
            return
        client.sendall(OFF)


with socket.create_server(("127.0.0.1", 0)) as listener:
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        with client:
            try:
                serve(client, sys.argv[1])
            except ConnectionError:
                pass
