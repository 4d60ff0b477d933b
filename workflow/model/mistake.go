package model

import "fmt"

// A Mistake is an error that answers the model: what is wrong with its call, and how to do it
// right. A tool that returns one did not fail.
type Mistake string

// Error is the answer.
func (m Mistake) Error() string { return string(m) }

// Mistakef formats a Mistake.
func Mistakef(format string, args ...any) error { return Mistake(fmt.Sprintf(format, args...)) }
