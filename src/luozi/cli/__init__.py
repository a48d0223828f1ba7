"""The command line. `app` has the commands and turns every error into a message."""
