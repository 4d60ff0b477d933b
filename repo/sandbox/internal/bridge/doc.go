// Package bridge connects a command in a sandbox with a proxy outside. Inside, this program listens on the
// loopback of the sandbox, forwards each connection to a unix socket that is mounted there, and runs the
// command as its child with HTTP_PROXY and HTTPS_PROXY set. It does so when the package is initialised.
package bridge
