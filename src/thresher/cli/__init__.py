"""The command line: one file a command. Data go to standard output, messages to standard error."""
