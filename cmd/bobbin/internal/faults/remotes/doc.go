// Package remotes tests the program with a git remote that fails in each way at each exchange of a session.
// The approval stays valid, one line says what to do, and in the end the same commit is pushed once. The
// package contains only tests. BOBBIN_GIT_FAULTS=all runs every outage.
package remotes
