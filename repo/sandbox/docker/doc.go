// Package docker is the kind of sandbox in which an engine, Docker or Podman, starts a
// container for each command, from an image that has to be there already. This program is the
// first process inside, and confines itself and the command as in the other kinds.
//
// A container ends when a pipe from this process is closed, at the latest with this process. The
// next Open on the machine removes what an engine kept nevertheless.
package docker
