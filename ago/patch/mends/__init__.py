"""What would make a refused candidate compile: changes of the texts that the request gave."""
