// Package command finds the test runner inside a shell command, and calls it with a reporter
// that a program can read.
//
// "npm test" may be a linter, a compiler, a check of the documentation and mocha's dots. Inside
// parses the line, follows the scripts that it calls, leaves out what only checks the source's
// form, keeps what has to run before the tests, and writes the runner's own call anew. A line
// without a runner that is known gives false. Nothing is run.
package command
