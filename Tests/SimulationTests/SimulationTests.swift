import HostLoop
import Simulation
import Testing
