//go:build !failpoints

package failpoint

import "time"

// Crash is a point at which a test may stop the program, after something has happened and before that is
// recorded.
func Crash(string) {}

// Wait returns the usual time.
func Wait(_ string, usual time.Duration) time.Duration { return usual }

// Disabled returns false.
func Disabled(string) bool { return false }
