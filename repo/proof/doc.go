// Package proof runs a project's own build and tests in the sandbox, and proves a change with
// them.
//
// Checker.Run builds and tests a tree and reads what the runner printed into counts and named
// tests. Output that nobody can read is not an error: the exit code stands, and Counted is false.
//
// Checker.Prove is the program's own word on a change. It runs three trees, none of them
// the agent's own folder, so that nothing but what will be committed counts:
//
//	base      the commit the work began at (Baseline; once a commit, remembered on disk)
//	overlay   the base with nothing but the change's test files laid over it: must fail
//	branch    the base with the whole change: must pass, and all that passed on the base
//
// A repository's build cache is written by Baseline alone, which runs only what the base
// branch holds; everything that an agent may have touched sees it read-only.
//
// On disk, under Checker.CacheDir, one folder a repository:
//
//	<name>-<hash>/go-build/      the build cache; /cache/gobuild to commands
//	<name>-<hash>/results/*.json what Baseline remembers; never shown to a command
//	<name>-<hash>/packages/      what the repository names, fetched by package setup
//	<name>-<hash>/work-*         trees that are run, removed afterwards
//	<name>-<hash>/in-use         its lock is shared by all that build; Clean takes it alone
package proof
