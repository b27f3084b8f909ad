"""The real engines behind one protocol; each is imported when it is asked for, and needs its own package."""
