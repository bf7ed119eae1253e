"""The door for agents: a vault over the Model Context Protocol."""
