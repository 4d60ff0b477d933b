// Package gotest reads what go test prints, with -json and without it, into named tests.
//
// Its goldens stand beside those of the other runners, in repo/runners.
package gotest

import "github.com/bobbinhq/bobbin/repo/result"

// Output is what was read.
type Output struct {
	Tests     []result.Test
	Text      string // for people, where the output itself is for machines
	Uncounted bool   // only failures are named, and nobody says how many passed
}
