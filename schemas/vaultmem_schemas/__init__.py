"""vaultmem_schemas."""
