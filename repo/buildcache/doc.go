// Package buildcache keeps what builds of a repository need and leave behind: a Go build
// cache, the packages that were fetched for it, results that are remembered, and folders in
// which trees are run.
//
// Caches.For gives the Cache of one repository, whose Mounts show it to a command read-only.
// A build cache is written by WritableMounts alone, for what the base branch holds; what an
// agent may have touched never writes it, and ScratchMounts lays a cache of the session's own
// over it. Hold keeps a repository's folder from Clean, which removes what was used longest
// ago; whatever is gone is built again.
//
// On disk, under Caches.Dir, one folder a repository:
//
//	<name>-<hash>/go-build/      the build cache; /cache/gobuild to commands
//	<name>-<hash>/results/*.json what is remembered of the base; never shown to a command
//	<name>-<hash>/packages/      what the repository names, fetched by package packages
//	<name>-<hash>/work-*         trees that are run, removed afterwards
//	<name>-<hash>/in-use         its lock is shared by all that build; Clean takes it alone
//	<name>-<hash>/lock           held while the base is run
package buildcache
