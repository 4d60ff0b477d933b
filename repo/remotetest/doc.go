// Package remotetest makes git repositories for tests: bare ones as a team has them, written
// by go-git and not by our own code, and served over http and ssh.
package remotetest
