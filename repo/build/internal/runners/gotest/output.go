// Package gotest reads the output of go test, with and without -json, into named tests.
//
// Its golden files are with those of the other runners, in repo/build/internal/runners.
package gotest

import "github.com/bobbinhq/bobbin/repo/build/result"

// An Output is the result of reading go test.
type Output struct {
	Tests     []result.Test
	Text      string // the output for people, if the runner's output is for machines
	Uncounted bool   // only failures are named, and the number of passed tests is unknown
}
