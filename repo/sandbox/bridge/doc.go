// Package bridge gives a command a way out of the sandbox, if it may have one. Inside, this
// program listens on the loopback of the sandbox, passes each connection on to a unix socket that
// is shown there, and runs the command beside that with HTTP_PROXY and HTTPS_PROXY set. It
// takes over when the package is initialized.
package bridge
