// Package backend defines the interface of a kind of sandbox: a [Backend] starts a Job and returns its
// Process, which ends with an Outcome.
//
// To add a kind, write a package with a Backend. Add an entry to the table of repo/sandbox (kinds_linux.go,
// and kinds_other.go for other systems), a constant to sandbox.go, and the name to the configuration
// (cmd/bobbin/internal/config/check.go). A backend builds the file system of NewLayout, ends its processes
// when the thread that started them ends, and fulfils all probes; the caller runs the probes before any
// command. A backend need not limit time, disk or total use of memory and processes: the caller watches these
// and calls Kill.
package backend
