// Package githost is a git host for tests, with one repository that git's own http-backend serves
// over HTTP. It asks for a password, fails in the way that a test orders, and records every
// update of a branch, so that a test can tell what really arrived.
package githost
