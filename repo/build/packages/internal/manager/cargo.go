package manager

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

var cargo = Manager{
	Name: "cargo", Kind: "rust",
	Locks:     regexp.MustCompile(`^Cargo\.lock$`),
	Manifests: regexp.MustCompile(`^Cargo\.toml$`),
	Read: func(_, text string) (bool, bool) {
		return strings.Contains(text, "dependencies") || strings.Contains(text, "[workspace]"), false
	},
	SeparateProject: true,
	ExtraFiles:      regexp.MustCompile(`^Cargo\.(toml|lock)$`),
	Needs:           IsCargoConfig,
	// cargo checks that they exist
	Stub: func(file string) bool { return strings.HasSuffix(file, ".rs") },
	Fetch: func(_ []string, exact bool) string {
		if exact {
			return "cargo fetch --locked"
		}
		return "cargo fetch"
	},
	Pins:     []string{"Cargo.lock"},
	Vendored: "vendor",
	Version:  "cargo --version",
	Hosts:    []string{"index.crates.io", "static.crates.io"},
}

// IsCargoConfig reports whether a file holds settings of cargo.
func IsCargoConfig(file string) bool {
	base := path.Base(file)
	return path.Base(path.Dir(file)) == ".cargo" && (base == "config.toml" || base == "config")
}

// cargoSettings are cargo's settings that say where crates are, and the keys of each table. All others, such
// as programs to run, are left out.
type cargoSettings struct {
	Registry   map[string]any            `toml:"registry,omitempty"`
	Registries map[string]map[string]any `toml:"registries,omitempty"`
	Source     map[string]map[string]any `toml:"source,omitempty"`
}

func keepKeys(table map[string]any, keys ...string) {
	maps.DeleteFunc(table, func(key string, value any) bool {
		_, text := value.(string)
		return !text || !slices.Contains(keys, key)
	})
}

func readCargoConfig(text []byte) (c cargoSettings) {
	if toml.Unmarshal(text, &c) != nil {
		return cargoSettings{} // cargo itself reports the error, in builds
	}
	keepKeys(c.Registry, "default")
	for _, table := range c.Registries {
		keepKeys(table, "index")
	}
	for _, table := range c.Source {
		keepKeys(table,
			"replace-with", "registry", "directory", "local-registry", "git", "branch", "tag", "rev")
	}
	return c
}

// CargoRegistries returns the settings of cargo that say where crates are, out of a configuration file.
// Tokens and programs to run are left out.
func CargoRegistries(text []byte) []byte {
	out, err := toml.Marshal(readCargoConfig(text))
	if err != nil {
		return nil
	}
	return out
}

var registryName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CargoTokens returns the variables in which cargo looks for the tokens of the registries that a
// configuration file names.
func CargoTokens(text []byte) (names []string) {
	for name := range readCargoConfig(text).Registries {
		if registryName.MatchString(name) {
			upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
			names = append(names, "CARGO_REGISTRIES_"+upper+"_TOKEN")
		}
	}
	slices.Sort(names)
	return names
}
