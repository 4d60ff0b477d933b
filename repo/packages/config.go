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

// IsReservedEnv are the variables that Config.Env may not set.
func IsReservedEnv(name string) bool {
	return slices.Contains([]string{
		"PATH", "HOME", "PACKAGES", "GOMODCACHE", "CARGO_HOME", "TMPDIR", "GOCACHE", "PIP_CACHE_DIR", "NPM_CONFIG_CACHE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NPM_CONFIG_PROXY", "NPM_CONFIG_HTTPS_PROXY", "PIP_PROXY", "LD_PRELOAD", "LD_LIBRARY_PATH",
	}, strings.ToUpper(name))
}

var address = regexp.MustCompile(`https?://[^\s,|/?#]+`)

// HostsIn are the hosts of the addresses in a value of Config.Env, as Allow names them.
func HostsIn(value string) (hosts []string) {
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

// allowedHosts are the hosts that may be asked for these kinds.
func (c Config) allowedHosts(found []manager) (hosts []string) {
	if len(c.Allow) > 0 {
		return append(slices.Clone(c.Allow), c.Private...)
	}
	for _, k := range found {
		hosts = append(hosts, k.hosts...)
	}
	for _, kv := range c.Env {
		hosts = append(hosts, HostsIn(kv)...)
	}
	hosts = append(hosts, c.Private...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
