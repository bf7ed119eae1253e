"""vaultmem."""
