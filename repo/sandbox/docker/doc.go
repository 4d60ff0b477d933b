// Package docker is the kind of sandbox in which an engine, Docker or Podman, makes a
// container for each command, from an image that has to be there. This program is the first
// process inside, and confines itself and the command as everywhere.
//
// A container ends when a pipe from here is closed, at the latest with this program. What
// an engine kept nevertheless is removed by the next Open on the machine.
package docker
