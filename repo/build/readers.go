package build

import "github.com/bobbinhq/bobbin/repo/build/internal/runners"

// Runners returns the names of the test runners whose output is read, for people and models.
func Runners() []string { return runners.Names() }
