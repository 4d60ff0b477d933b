// Package docker implements the kind of sandbox in which an engine, Docker or Podman, starts a container for
// each command, from an image that the engine must already have. This program is the first process inside,
// and confines itself and the command as in the other kinds.
//
// A container ends when this process closes a pipe or dies. If the engine keeps a container anyway, the next
// Open on the machine removes it.
package docker
