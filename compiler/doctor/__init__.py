"""Whether engines and servers enforce what they are given: small policies and requests of which the answer is known."""
