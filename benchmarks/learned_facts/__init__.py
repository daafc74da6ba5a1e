"""What is known after conversations that nobody who writes the rules wrote."""
