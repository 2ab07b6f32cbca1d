print("b2c-run")
