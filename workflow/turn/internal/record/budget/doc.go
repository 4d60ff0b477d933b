// Package budget keeps a session within its limits. CheckLimits is called before each model call and
// command. It reads the use from rows, so that a limit holds over restarts and replicas.
package budget
