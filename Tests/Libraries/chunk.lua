return x
