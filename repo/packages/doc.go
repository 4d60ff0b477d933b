// Package packages fetches the packages that a repository names, before anybody works in it
// and apart from those who do: commands of agents and checks have no network, and see what
// was fetched read-only.
//
// Fetch looks into a commit of the base branch for lock files, and copies them, the
// manifests beside them and nothing else into an empty folder. There it runs go mod
// download, npm ci --ignore-scripts, pip install --only-binary=:all: or cargo fetch, or
// what the operator wrote instead, in the sandbox, with an empty environment, no
// credentials, and one way out: a package proxy of ours, which lets through the registries'
// hosts and what the operator named.
//
// What is fetched depends on the lock files' content, the commands, the hosts, the
// environment and the tools' versions; for the same of all these it is fetched once. On
// disk, under Job.Dir:
//
//	<key>/out/go, cargo, python   what commands see below /cache
//	<key>/node/<n>                a node_modules folder; seen where the lock file is
//	<key>/setup.json              which folder each of those belongs to
//	<key>.lock                    shared by all that use it; whoever fetches or removes has it alone
//
// A folder appears whole, by a rename, or not at all.
package packages
