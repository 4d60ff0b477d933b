package model

import "fmt"

// A Mistake is an error whose text is for the model: what is wrong with its call, and how to do it right. A
// tool that returns a Mistake did not fail.
type Mistake string

// Error returns the text for the model.
func (m Mistake) Error() string { return string(m) }

// Mistakef returns a Mistake with a formatted text.
func Mistakef(format string, args ...any) error { return Mistake(fmt.Sprintf(format, args...)) }
