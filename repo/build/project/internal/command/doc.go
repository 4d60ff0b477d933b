// Package command finds the test runner inside a shell command, and calls it with a reporter whose output
// this program can read.
//
// "npm test" may run a linter, a compiler, a check of the documentation and mocha with dots as output.
// Inside parses the line, follows the scripts that it calls, drops steps that only check the form of the
// source, keeps steps that have to run before the tests, and rewrites the runner's call. It returns false
// for a line without a known runner. Nothing is run.
package command
