"""The tests: folders mirror src/driftline, so src/driftline/a/b.py is tested by tests/a/test_b.py."""
