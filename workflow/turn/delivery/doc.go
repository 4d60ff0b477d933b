// Package delivery brings approved work to its branch. Finish holds the change against the
// folder and the scope that it is limited to, looks for secrets, proves it, commits it, and
// pushes it; the row of a push stands before the push.
package delivery
