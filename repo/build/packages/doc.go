// Package packages fetches the packages that a repository names. It does so before a session starts to work,
// because commands of agents and checks have no network; they see the fetched packages read-only.
//
// Fetch looks in a commit of the base branch for the lock files, or else the manifests, that package manager
// knows. For each package manager, it copies these files, and no others, into an empty folder. There it runs
// the manager, or the operator's commands instead, in the sandbox: with a clean environment, without
// credentials, and with the package proxy as the only way to the network, which lets through the registries'
// hosts and the hosts that the operator named. If one manager fails, its packages are reported as Missing,
// and the other managers still run.
//
// Versions that no lock file fixes are resolved once and stored beside the packages, so that they stay the
// same for the whole session. A session that begins in a later week resolves them again.
//
// The cache key depends on the content of the lock files, the commands, the hosts, the environment and the
// versions of the tools, and where versions are not fixed also on the manifests and the week. Packages with
// the same key are fetched once. On disk, under Job.Dir:
//
//	<key>/out/go, cargo, python…  what commands see below /cache
//	<key>/node/<n>                a node_modules folder; mounted into the folder of its package.json
//	<key>/setup.json              the folders of the repository that the node_modules folders belong to
//	<key>.pins/                   the resolved versions; kept when the packages are removed
//	<key>.lock                    lock file: shared to use packages, exclusive to fetch or remove them
//
// A folder is renamed into place when it is complete, so a folder with a final name is always complete.
package packages
