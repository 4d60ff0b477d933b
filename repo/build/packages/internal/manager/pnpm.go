package manager

import "regexp"

var pnpm = Manager{
	Name: "pnpm", Kind: "node",
	Locks:      regexp.MustCompile(`^pnpm-lock\.yaml$`),
	Manifests:  regexp.MustCompile(`^pnpm-workspace\.yaml$`),
	ExtraFiles: nodeManifest,
	Fetch: func(_ []string, exact bool) string {
		frozen := "$(test -f pnpm-lock.yaml && echo --frozen-lockfile || echo --no-frozen-lockfile)"
		if exact {
			frozen = "--frozen-lockfile"
		}
		return `pnpm install ` + frozen + ` --ignore-scripts --package-import-method=copy --store-dir="$TMPDIR/pnpm"`
	},
	Pins:     []string{"pnpm-lock.yaml"},
	Vendored: "node_modules",
	Version:  "node --version && pnpm --version",
	Hosts:    []string{npmRegistry},
}
