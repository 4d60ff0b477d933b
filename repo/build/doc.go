// Package build builds and tests a tree with the project's own commands, in the sandbox, and stores on disk
// what the builds of a repository reuse.
//
// Checker.Run tests the current files of a folder, Checker.RunTree a fresh tree of a commit with optional
// changes, and Checker.Baseline an unchanged commit. A baseline runs once: its result is stored on disk,
// and only it fills the repository's build cache. All other runs may contain an agent's changes, so they
// write into a cache of their own, which is removed afterwards.
//
// The output of the runner becomes counts and named tests (package result). Output that cannot be read is
// no error: only the exit code counts then, and Result.Counted is false. An error means that this machine
// failed; a command that fails is a Result.
//
// Caches.For returns the Cache of one repository, and Cache.Mounts mounts it read-only into a command's
// sandbox. Only a command with WritableMounts writes the build cache, and only the tree of the base branch is
// built that way; a tree that an agent may have changed never writes it. ScratchMounts gives such
// a tree, or the commands of a session, a writable cache on top of the repository's cache. Hold protects a
// repository's folder from Clean, which removes the least recently used files. Removed files are built again
// when they are needed.
//
// On disk, under Caches.Dir, there is one folder for each repository:
//
//	<name>-<hash>/go-build/      the build cache; commands see it at /cache/gobuild
//	<name>-<hash>/results/*.json stored results of the base branch; never mounted into a sandbox
//	<name>-<hash>/packages/      the repository's packages, fetched by package packages
//	<name>-<hash>/work-*         trees that are built and tested, removed afterwards
//	<name>-<hash>/in-use         lock file: shared while a build runs, exclusive for Clean
//	<name>-<hash>/lock           lock file: held while the base branch is built and tested
package build
