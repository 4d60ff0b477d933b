// Package user decides which user commands run as. If this program runs as root, commands run as uid 65534 of
// the machine, otherwise as the caller. Inside, the uid is 1000 in both cases, except in docker. Own makes
// that user the owner of a tree of files.
package user
