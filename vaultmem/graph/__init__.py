"""The graph of the notes: paths and neighbours, communities, insights, provenance, export."""
