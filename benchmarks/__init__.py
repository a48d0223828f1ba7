"""Benchmarks: each compares with a real peer in the same run. `make bench`, or `python -m benchmarks NAME`."""
