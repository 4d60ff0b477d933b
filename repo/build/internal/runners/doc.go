// Package runners reads the output of test runners into counts and named tests: go test, jest, vitest,
// mocha, node, pytest, unittest, cargo, prove, automake, TAP, JUnit XML, and those of the table lineFormats:
// minitest, RSpec, PHPUnit, ExUnit, CTest, Meson, GoogleTest and others.
//
// Read tries the formats in the order of the table formats in reading.go. Each format has a file or an entry
// in summary.go, and those of go test have the package gotest. ReadCut reads output that ends in the middle.
// Read returns false for output of no known runner, which is no error.
// The number of tests and the sizes of their texts are limited.
package runners
