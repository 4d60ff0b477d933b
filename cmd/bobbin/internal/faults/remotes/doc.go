// Package remotes is tests alone: a git remote fails in each way at each exchange of a
// session. The approval stands, one line says what to do, and the same commit is pushed
// once in the end. BOBBIN_GIT_FAULTS=all plays every outage.
package remotes
