// Package proof shows what a change does: its new tests fail on the base and pass on the branch.
//
// Prove is the program's own word on a change. It runs three trees, none of them the agent's
// own folder, so that nothing but what will be committed counts:
//
//	base      the commit the work began at (testrun.Checker.Baseline; once a commit)
//	overlay   the base with nothing but the change's test files laid over it: must fail
//	branch    the base with the whole change: must pass, and all that passed on the base
//
// The runs are compared test by test where every test has a name, else by files, counts and
// exit codes. Proof.Holds is the verdict, Proof.Lines the same for people. An error means that
// this machine failed.
package proof
