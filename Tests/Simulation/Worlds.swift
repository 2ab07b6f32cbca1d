import HostLoop

/// The parts of the program that are simulated.
@HostActor package let simulatedWorlds: [any SimulatedWorld.Type] = [JobWorld.self]
