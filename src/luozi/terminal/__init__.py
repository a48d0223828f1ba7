"""Playing in a terminal. Start with `session`: whose turn it is; `commands` are what a person may type beside moves."""
