// Package budget holds a session to its limits. CheckLimits is asked before each model call
// and command; it reads the use from rows, so that a limit holds over restarts and replicas.
package budget
