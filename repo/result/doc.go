// Package result describes one run of a project's build and tests: counts, named tests, exit
// codes, why the sandbox ended it, and the same in one line for people. It also cuts and
// cleans the outputs that are kept beside them.
package result
