"""Several matchers as one."""
