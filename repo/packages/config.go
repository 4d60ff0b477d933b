package packages

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/packages/account"
	"github.com/bobbinhq/bobbin/repo/packages/manager"
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
	Runner  string        // a program that runs the tests, where no manifest may name it: pytest; empty: none
	Began   time.Time     // when the session began: what the repository does not name exactly is resolved once a week
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

// environment is what the commands have beside the clean one of every command; own are the
// operator's registries. What nobody set anywhere is no setting: it would go before a repository's own.
func (c Config) environment(own []string, machineCache bool) []string {
	own = slices.DeleteFunc(slices.Clone(own), account.IsUsual)
	env := slices.Concat(manager.Environment(c.Allow), own, c.Env)
	last := ""
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "GOPROXY="); ok {
			last = value
		}
	}
	if len(c.Allow) > 0 && !strings.Contains(last, "direct") { // from hosts that GOVCS names alone
		last += ",direct"
	}
	if machineCache { // what this machine has need not come over the network; go.sum holds for it, too
		last = "file://" + insideMachine + "," + last
	}
	return append(env, "GOPROXY="+last,
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

// allowedHosts are the hosts that these managers may ask.
func (c Config) allowedHosts(found []manager.Manager, own []string) (hosts []string) {
	hosts = append(slices.Clone(c.Allow), c.Private...)
	if len(c.Allow) == 0 {
		for _, m := range found {
			hosts = append(hosts, m.Hosts...)
		}
		for _, kv := range slices.Concat(own, c.Env) {
			hosts = append(hosts, HostsIn(kv)...)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// privateHosts are the hosts that may be in a private network: those that the operator has his
// own tools ask, too, with all that belong to the same registry.
func (c Config) privateHosts(found []manager.Manager, own []string) []string {
	hosts := slices.Clone(c.Private)
	for _, kv := range own {
		hosts = append(hosts, HostsIn(kv)...)
	}
	for _, m := range found {
		if slices.ContainsFunc(m.Hosts, func(h string) bool { return slices.Contains(hosts, h) }) {
			hosts = append(hosts, m.Hosts...)
		}
	}
	return hosts
}

// ownRegistries are the operator's own for these managers.
func (f *Fetcher) ownRegistries(ctx context.Context, found []manager.Manager) (env []string) {
	for _, m := range found {
		said, known := f.own.Load(m.Kind)
		if !known && f.Registries != nil {
			own, err := f.Registries(ctx, m.Kind)
			if ctx.Err() != nil {
				return nil // nobody waits for it any more
			}
			if err != nil {
				f.log().Warn("setup: this account's own registries are not known; those that everybody uses are asked", "kind", m.Kind, "err", err)
				continue
			}
			f.own.Store(m.Kind, own)
			said = own
		}
		if said != nil {
			env = append(env, said.([]string)...)
		}
	}
	return env
}
