// Package user decides as whom commands run. If this program runs as root, commands run as uid
// 65534 of the machine, otherwise as the caller; inside, both are uid 1000. Own gives them a tree
// of files.
package user
