"""What tokens write, as characters and as beginnings of characters."""
