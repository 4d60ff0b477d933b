// Package githost is test support: a git host of one repository, served over HTTP by git's
// own http-backend, that asks for a password and fails in the way that a test orders. It
// keeps a book of every update of a branch, so that a test can tell what really arrived.
package githost
