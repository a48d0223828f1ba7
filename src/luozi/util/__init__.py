"""Helpers of all packages, which know no game: files, text from outside, specifications, tables, processes, trust."""
