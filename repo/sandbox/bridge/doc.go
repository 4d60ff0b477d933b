// Package bridge is the way out of a command that may have one: this program stands inside
// as any other command does, listens on the loopback of the sandbox, passes each connection
// on to a unix socket that is shown there, and runs the command beside that with
// HTTP_PROXY and HTTPS_PROXY set. Main has to be called at the start of the program.
package bridge
