// Package result describes one run of a project's build and tests: counts, named tests, exit codes, the
// reason if the sandbox ended it, and a summary in one line. It also shortens and cleans the outputs.
package result
