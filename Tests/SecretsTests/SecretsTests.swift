// Tests of Secrets.
