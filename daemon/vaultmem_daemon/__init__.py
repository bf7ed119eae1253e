"""What runs beside a vault while nobody asks: the watcher that keeps its index up."""
