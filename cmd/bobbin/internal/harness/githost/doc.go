// Package githost is a git host for tests. It serves one repository over HTTP with git's own http-backend,
// requires a password, fails in the way that a test orders, and records every update of a branch, so that a
// test can tell what really arrived.
package githost
