// Tests of UserAgents.
