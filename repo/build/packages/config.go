package packages

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Config holds the operator's settings for a repository. The zero value detects everything automatically.
type Config struct {
	Off bool
	// the part of a large repository that the session works on; empty: all of it
	Folder string
	// command lines, run in the top folder; empty: detected from the lock files
	Run []string
	// commands that run besides the package managers, and besides Run
	Extra Extra
	// host or host:port; empty: the hosts of the detected registries and those in Env
	Allow []string
	// hosts whose addresses may be in a private network
	Private []string
	// for registries and git hosts that want one; their hosts are allowed, too
	Logins []proxy.Login
	// NAME=value; no secrets, because untrusted code can read them
	Env []string
	// limit for all commands together; default 10 minutes
	Time time.Duration
	// the test runner to fetch even if no manifest names it: pytest; empty: none
	Runner string
	// start of the session: versions that the repository does not fix are resolved once a week
	Began time.Time
	// the folder with advisories in the form of OSV; empty: none
	Advisories string
	// the programs that the repository wants instead of those that commands find first
	Tools Tools
}

// Tools are programs by their mounts and the variables with which commands find them first.
type Tools struct {
	Mounts []sandbox.Mount
	Env    []string
	// Sandbox is where the commands of the repository run, if its image is its own. Nil: in the Fetcher's.
	Sandbox *sandbox.Sandbox
}

// key identifies the tools.
func (t Tools) key() string {
	key := strings.Join(t.Env, " ")
	if t.Sandbox != nil && t.Sandbox.ImageID() != "" {
		key += " " + t.Sandbox.ImageID()
	}
	return key
}

// sandboxOr returns where commands run: in Sandbox, or else in box.
func (t Tools) sandboxOr(box *sandbox.Sandbox) *sandbox.Sandbox { return cmp.Or(t.Sandbox, box) }

// add gives them to a command.
func (t Tools) add(cmd *sandbox.Cmd) {
	cmd.Mounts = append(cmd.Mounts, t.Mounts...)
	cmd.Env = append(slices.Clone(t.Env), cmd.Env...)
}

const (
	defaultTime = 10 * time.Minute
	maxDisk     = 8 << 30 // maximum disk use during a fetch
)

// Paths inside the sandbox of a fetch: results, temporary files, and this machine's module cache.
const (
	insidePackages = "/packages"
	insideScratch  = "/scratch"
	insideMachine  = "/cache/machine"
)

// environment returns the variables of a fetch command in addition to the clean environment of all commands.
// own holds the operator's registries; default values in it are dropped, because they would override the
// settings of the repository.
func (c Config) environment(own []string, machineCache bool) []string {
	own = slices.DeleteFunc(slices.Clone(own), IsUsualAccount)
	env := slices.Concat(manager.Environment(c.gitHosts()), []string{InstalledPnpm}, nodeTrust(), own, c.Env)
	last := ""
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "GOPROXY="); ok {
			last = value
		}
	}
	if len(c.Allow) > 0 && !strings.Contains(last, "direct") { // only from the hosts that GOVCS names
		last += ",direct"
	}
	if machineCache { // modules of this machine need no network, and go.sum is checked for them, too
		last = "file://" + insideMachine + "," + last
	}
	return append(env, "GOPROXY="+last,
		"PACKAGES="+insidePackages, "GOMODCACHE="+insidePackages+"/go", "CARGO_HOME="+insidePackages+"/cargo",
		"TMPDIR="+insideScratch, "GOCACHE="+insideScratch+"/go-build",
		"npm_config_cache="+insideScratch+"/npm", "PIP_CACHE_DIR="+insideScratch+"/pip")
}

// IsReservedEnv reports whether Config.Env may not set the variable.
func IsReservedEnv(name string) bool {
	return slices.Contains([]string{
		"PATH", "HOME", "PACKAGES", "GOMODCACHE", "CARGO_HOME", "TMPDIR", "GOCACHE", "PIP_CACHE_DIR",
		"NPM_CONFIG_CACHE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NPM_CONFIG_PROXY",
		"NPM_CONFIG_HTTPS_PROXY", "PIP_PROXY", "LD_PRELOAD", "LD_LIBRARY_PATH",
	}, strings.ToUpper(name))
}

var address = regexp.MustCompile(`https?://[^\s,|/?#]+`)

// HostsIn returns the hosts of the addresses in a value of Config.Env, in the form of Config.Allow.
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

// allowedHosts returns the hosts that these managers may connect to.
func (c Config) allowedHosts(found []manager.Manager, own []string) (hosts []string) {
	hosts = slices.Concat(c.Allow, c.Private, c.loginHosts())
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

// privateHosts returns the hosts whose addresses may be in a private network: those of Config.Private and
// those of the operator's own registries. If one host of a manager is among them, all hosts of that manager
// are.
func (c Config) privateHosts(found []manager.Manager, own []string) []string {
	hosts := slices.Clone(c.Private)
	for _, l := range c.Logins {
		if l.IsPlain() { // a login without TLS stays in a private network, so it can only be there
			host, _, _ := strings.Cut(l.Target(), ":")
			hosts = append(hosts, host)
		}
	}
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

// ownRegistries returns the operator's own registries for these managers, as NAME=value.
func (f *Fetcher) ownRegistries(ctx context.Context, found []manager.Manager) (env []string) {
	for _, m := range found {
		answer, known := f.own.Load(m.Kind)
		if !known && f.Registries != nil {
			own, err := f.Registries(ctx, m.Kind)
			if ctx.Err() != nil {
				return nil // the caller has given up
			}
			if err != nil {
				f.log().Warn("setup: this account's own registries are not known; "+
					"those that everybody uses are asked", "kind", m.Kind, "err", err)
				continue
			}
			f.own.Store(m.Kind, own)
			answer = own
		}
		if answer != nil {
			env = append(env, answer.([]string)...)
		}
	}
	return env
}
