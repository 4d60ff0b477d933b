// Package backend is what a kind of sandbox has to be: a Backend starts a Job and hands back
// the Process, which ends with an Outcome.
//
// To add a kind, write a package with a Backend and give it an entry in the table of
// repo/sandbox. A backend builds what NewLayout lists, lets the processes end with the
// thread that started them, and lets no more out than the probes allow, which the caller
// runs in it before anybody else. It need not look at the clock, at what the processes take
// together, nor at the disk: the caller does, and calls Kill.
package backend
