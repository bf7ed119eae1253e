"""vaultmem_cli."""
