// Package runners reads what test runners print into counts and named tests: go test, jest,
// vitest, mocha, node, pytest, unittest, cargo, prove, TAP and JUnit XML.
//
// Read tries the formats in the order of one table, formats in reading.go; each has a file of
// its own, and those of go test a room. Output that no runner printed is no error: Read then gives false. Everything that
// it keeps is bounded.
package runners
