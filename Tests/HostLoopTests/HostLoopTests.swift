// Tests of HostLoop.
