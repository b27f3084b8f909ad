"""What a policy means: rules over interval sets, and the language they denote."""
