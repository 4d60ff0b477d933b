// Package remotetest makes git repositories for tests: bare repositories like those of a team, written by
// go-git and not by our own code, and served over http and ssh.
package remotetest
