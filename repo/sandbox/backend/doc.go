// Package backend says what a kind of sandbox has to be: a [Backend] starts a Job and returns
// the Process, which ends with an Outcome.
//
// To add a kind, write a package with a Backend and give it an entry in the table of
// repo/sandbox (kinds_linux.go, and kinds_other.go for other systems), its constant in sandbox.go,
// and its name in the configuration (cmd/bobbin/internal/config/check.go). A backend builds what NewLayout lists, ends its processes with
// the thread that started them, and lets no more out than the probes allow; the caller runs the
// probes in it before any command. A backend need not watch the clock, the disk, or what the
// processes take together: the caller does, and calls Kill.
package backend
