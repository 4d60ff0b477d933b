// Package runners reads the output of test runners into counts and named tests: go test, jest, vitest,
// mocha, node, pytest, unittest, cargo, prove, automake, TAP and JUnit XML.
//
// Read tries the formats in the order of the table formats in reading.go. Each format has a file, and those
// of go test have the package gotest. Read returns false for output of no known runner, which is no error.
// The number of tests and the sizes of their texts are limited.
package runners
