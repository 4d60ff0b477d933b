package packages

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/proxy"
)

// Config is what the operator says of a repository. The zero value finds everything out.
type Config struct {
	Off     bool
	Folder  string        // the part of a large repository that the work is about; empty: all of it
	Run     []string      // command lines, at the top; empty: found out from lock files
	Allow   []string      // hosts, host:port; empty: the registries that the lock files are of, and those in Env
	Private []string      // hosts that may be in a private network
	Env     []string      // NAME=value; no secrets: what strangers wrote can read them
	Time    time.Duration // default 10 minutes, for all commands together
}

const (
	defaultTime = 10 * time.Minute
	mostDisk    = 8 << 30 // while it is fetched
)

// A kind is a way in which repositories name their packages.
type kind struct {
	name     string
	locks    *regexp.Regexp // files that name packages exactly enough to fetch them
	manifest *regexp.Regexp // files that the tool needs beside them
	line     func(locks []string) string
	holds    string // a folder beside the lock file in which the packages may be in the repository itself
	version  string // a command line that says which tool it is
	hosts    []string
}

// kinds are those that are found out.
var kinds = []kind{
	{
		name: "go", locks: regexp.MustCompile(`^(go\.sum|go\.work(\.sum)?)$`), manifest: regexp.MustCompile(`^go\.(mod|sum|work|work\.sum)$`),
		line:    func([]string) string { return "go mod download" },
		holds:   "vendor",
		version: "go version", hosts: []string{"proxy.golang.org", "sum.golang.org"},
	},
	{
		name: "node", locks: regexp.MustCompile(`^(package-lock|npm-shrinkwrap)\.json$`),
		manifest: regexp.MustCompile(`^(package(-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?)$`),
		line:     func([]string) string { return "npm ci --ignore-scripts --no-audit --no-fund" },
		holds:    "node_modules",
		version:  "node --version && npm --version", hosts: []string{"registry.npmjs.org"},
	},
	{
		name: "python", locks: regexp.MustCompile(`^requirements([-_.](dev|test|tests|ci))?\.txt$`),
		manifest: regexp.MustCompile(`^([a-z_.-]*(requirements|constraints)[a-z_.-]*\.txt|pyproject\.toml|setup\.cfg|poetry\.lock|uv\.lock|pylock\.toml|Pipfile(\.lock)?)$`),
		line: func(locks []string) string {
			return `python3 -m pip install --only-binary=:all: --target "$PACKAGES/python" -r ` + strings.Join(locks, " -r ")
		},
		holds:   ".venv",
		version: "python3 --version && python3 -m pip --version", hosts: []string{"pypi.org", "files.pythonhosted.org"},
	},
	{
		name: "rust", locks: regexp.MustCompile(`^Cargo\.lock$`), manifest: regexp.MustCompile(`^Cargo\.(toml|lock)$`),
		line:    func([]string) string { return "cargo fetch --locked" },
		holds:   "vendor",
		version: "cargo --version", hosts: []string{"index.crates.io", "static.crates.io"},
	},
}

// Where commands see what they fetch, and where they may leave what is not kept.
const (
	insidePackages = "/packages"
	insideScratch  = "/scratch"
	insideMachine  = "/cache/machine"
)

// environment is what the commands have beside the clean one of every command.
func (c Config) environment(machineCache bool) []string {
	env := []string{
		"GOPROXY=https://proxy.golang.org", "GOVCS=*:off", "GOFLAGS=-mod=mod -modcacherw", "GOTOOLCHAIN=local",
		"npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false", "npm_config_offline=false",
		"PIP_NO_INDEX=0", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_BREAK_SYSTEM_PACKAGES=1",
		"CARGO_NET_OFFLINE=false",
	}
	env = append(env, c.Env...)
	if machineCache { // what this machine has need not come over the network; go.sum holds for it, too
		last := slices.IndexFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "GOPROXY=") })
		for i, kv := range env {
			if strings.HasPrefix(kv, "GOPROXY=") {
				last = i
			}
		}
		env = append(env, "GOPROXY=file://"+insideMachine+","+strings.TrimPrefix(env[last], "GOPROXY="))
	}
	return append(env,
		"PACKAGES="+insidePackages, "GOMODCACHE="+insidePackages+"/go", "CARGO_HOME="+insidePackages+"/cargo",
		"TMPDIR="+insideScratch, "GOCACHE="+insideScratch+"/go-build", "npm_config_cache="+insideScratch+"/npm", "PIP_CACHE_DIR="+insideScratch+"/pip")
}

// Fixed are the variables that Config.Env may not set.
func Fixed(name string) bool {
	return slices.Contains([]string{
		"PATH", "HOME", "PACKAGES", "GOMODCACHE", "CARGO_HOME", "TMPDIR", "GOCACHE", "PIP_CACHE_DIR", "NPM_CONFIG_CACHE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NPM_CONFIG_PROXY", "NPM_CONFIG_HTTPS_PROXY", "PIP_PROXY", "LD_PRELOAD", "LD_LIBRARY_PATH",
	}, strings.ToUpper(name))
}

var address = regexp.MustCompile(`https?://[^\s,|/?#]+`)

// Hosts are the hosts of the addresses in a value of Config.Env, as Allow names them.
func Hosts(value string) (hosts []string) {
	for _, s := range address.FindAllString(value, -1) {
		u, err := url.Parse(s)
		if err != nil {
			continue
		}
		host := u.Hostname()
		if p := u.Port(); p != "" && p != "443" && p != "80" {
			host = u.Host
		}
		if proxy.CheckHost(host) == nil && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// allowed are the hosts that may be asked for these kinds.
func (c Config) allowed(found []kind) (hosts []string) {
	if len(c.Allow) > 0 {
		return append(slices.Clone(c.Allow), c.Private...)
	}
	for _, k := range found {
		hosts = append(hosts, k.hosts...)
	}
	for _, kv := range c.Env {
		hosts = append(hosts, Hosts(kv)...)
	}
	hosts = append(hosts, c.Private...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
