// Tests of OAuth.
