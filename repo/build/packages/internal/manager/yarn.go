package manager

import "regexp"

// yarn 1 and later versions have different flags for the same purpose.
var yarn = Manager{
	Name: "yarn", Kind: "node",
	Locks:      regexp.MustCompile(`^yarn\.lock$`),
	ExtraFiles: nodeManifest,
	Fetch: func([]string, bool) string {
		return `case $(yarn --version) in 1.*) yarn install --frozen-lockfile --ignore-scripts --non-interactive --cache-folder "$TMPDIR/yarn" ;;
*) YARN_NODE_LINKER=node-modules YARN_ENABLE_SCRIPTS=0 YARN_ENABLE_TELEMETRY=0 YARN_GLOBAL_FOLDER="$TMPDIR/yarn" yarn install --immutable ;; esac`
	},
	Vendored: "node_modules",
	Version:  "node --version && yarn --version",
	Hosts:    []string{"registry.yarnpkg.com", npmRegistry},
}
