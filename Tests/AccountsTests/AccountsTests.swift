// Tests of Accounts.
