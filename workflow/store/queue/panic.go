package queue

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrPanic is in the error that CatchPanic makes of a panic.
var ErrPanic = errors.New("panic")

// CatchPanic calls do. It returns a panic as an error, whose first line is the panic's value and
// whose others are the stack. River would discard a job after its last panic, and a new job
// would panic again, without end.
func CatchPanic(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, value, debug.Stack())
		}
	}()
	return do()
}
