// Package proof tests whether a change fixes a bug: its new tests must fail on the base and pass on the
// branch.
//
// Prove runs three trees. None of them is the agent's own folder, so only what will be committed counts:
//
//	base      the commit that the work began at (testrun.Checker.Baseline; run once per commit)
//	overlay   the base with only the change's test files laid over it: must fail
//	branch    the base with the whole change: must pass, with all tests that passed on the base
//
// If every test has a name, the runs are compared test by test, otherwise by files, counts and exit codes.
// Proof.Holds is the verdict, Proof.Lines the same for people. Prove returns an error only for a failure of
// this machine.
package proof
