// Package delivery brings approved work to its branch. Finish holds the change against the
// folder and the scope that it is limited to, looks for secrets, proves it, lets no hunk through
// that nothing needs and nobody gave a reason for, commits it, and pushes it; the row of a push
// stands before the push.
package delivery
