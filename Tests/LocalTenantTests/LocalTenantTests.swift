// Tests of LocalTenant.
