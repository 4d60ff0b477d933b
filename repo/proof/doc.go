// Package proof tests whether a change fixes a bug: its new tests must fail on the base and pass on the
// branch.
//
// Prove runs four trees. None of them is the agent's own folder, so only what will be committed counts:
//
//	base        the commit that the work began at (build.Checker.Baseline; run once per commit)
//	overlay     the base with only the change's test files laid over it: must fail
//	branch      the base with the whole change: must pass, with all tests that passed on the base
//	old tests   the branch with the base's versions of the files that decide about tests and that the change
//	            touches: tests, helpers, golden files, settings of runners. It runs only if there are such
//	            files
//
// A case that passes on the base, and not among the old tests on the new code, is a changed expectation: the
// change made the test expect something else, or took it away. It does not make a proof fail.
// Proof.Expectations names each with the old and the new line, for people to allow.
//
// If every test has a name, the runs are compared test by test, otherwise by files, counts and exit codes.
// Proof.Passes is the verdict, Proof.Lines the same for people. Prove returns an error only for a failure of
// this machine.
package proof
