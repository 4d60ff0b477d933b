// Package dial opens the line to a remote over https, ssh or a path on this machine.
//
// Address and credentials come from the caller alone: no git configuration can send them
// elsewhere, no redirect is followed to another host, and the git program that serves a
// local path sees none of our environment. A line that falls silent is given up.
package dial
