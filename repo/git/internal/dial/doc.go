// Package dial connects to a remote repository over https, http, ssh or a path on this machine.
//
// Dialer.Dial returns a Line, which opens fetch and push sessions. The address and the credentials come from
// the caller alone: no git configuration can redirect them, no HTTP redirect is followed to another host, and
// the git program that serves a local path does not get this program's environment. An HTTP connection on
// which no byte arrives for Dialer.Idle is closed.
package dial
