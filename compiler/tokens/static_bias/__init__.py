"""Which tokens a bias that is the same at every step bans, and what that loses and leaks."""
