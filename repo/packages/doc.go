// Package packages fetches the packages that a repository names, before anybody works in it
// and apart from those who do: commands of agents and checks have no network, and see what
// was fetched read-only.
//
// Fetch looks into a commit of the base branch for lock files, or else for manifests, as
// package manager knows them, and copies them and nothing else into an empty folder, for each
// manager one. There it runs the manager, or what the operator wrote instead, in the sandbox,
// with an empty environment, no credentials, and one way out: a package proxy of ours, which
// lets through the registries' hosts and what the operator named. What one manager cannot have
// is Missing; the others do not wait for it.
//
// What no lock file names exactly is resolved once, and kept beside the packages, so that a
// session has the same for as long as it lasts; sessions that begin in another week resolve
// anew.
//
// What is fetched depends on the lock files' content, the commands, the hosts, the
// environment and the tools' versions; for the same of all these it is fetched once. On
// disk, under Job.Dir:
//
//	<key>/out/go, cargo, python…  what commands see below /cache
//	<key>/node/<n>                a node_modules folder; seen where the lock file is
//	<key>/setup.json              which folder each of those belongs to
//	<key>.pins/                   what was resolved; it outlives the packages
//	<key>.lock                    shared by all that use it; whoever fetches or removes has it alone
//
// A folder appears whole, by a rename, or not at all.
package packages
