"""The command ``vaultmem``: parse, call, print. All the rest is in ``vaultmem``."""
