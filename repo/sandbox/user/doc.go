// Package user knows who commands are. When this program runs as root they are
// uid 65534 of the machine, otherwise they are the caller; inside, both are uid 1000. Own
// gives them a tree of files.
package user
