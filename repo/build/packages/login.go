package packages

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// logins returns the logins of a fetch: those of the configuration, and for git repositories at the host of
// the job's own remote, if the configuration allows that host, the credential of the remote.
func (j Job) logins() []proxy.Login {
	all := slices.Clone(j.Config.Logins)
	u, err := url.Parse(j.Remote.URL)
	if err != nil || u.Scheme != "https" || j.Remote.Credentials == nil {
		return all
	}
	own := proxy.Login{Host: strings.ToLower(u.Host), Git: j.Remote.Credentials}
	if proxy.CheckLogin(own.Host) != nil || !slices.Contains(j.Config.Allow, own.Host) ||
		slices.ContainsFunc(all, func(l proxy.Login) bool { return l.Target() == own.Target() }) {
		return all
	}
	return append(all, own)
}

// loginHosts returns the hosts of the configuration's logins, as in Config.Allow.
func (c Config) loginHosts() (hosts []string) {
	for _, l := range c.Logins {
		hosts = append(hosts, l.Target())
	}
	return hosts
}

// gitHosts returns the hosts from which managers may fetch git repositories: those that the configuration
// allows or has a login for.
func (c Config) gitHosts() []string {
	hosts := slices.Clone(c.Allow)
	for _, l := range c.Logins {
		if host := strings.TrimSuffix(l.Target(), ":443"); !l.IsPlain() && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// publicHosts are hosts where anybody has repositories, so that most modules there are public.
var publicHosts = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}

// privateModules returns the patterns of Go modules that no public proxy has: all of a host with a login, or
// at a public host those beside the job's own repository.
func (j Job) privateModules() (patterns []string) {
	for _, l := range j.logins() {
		host := strings.TrimSuffix(l.Target(), ":443")
		if l.IsPlain() || strings.Contains(host, ":") { // a module path has no port
			continue
		}
		if !slices.Contains(publicHosts, host) {
			if l.Git == nil {
				patterns = append(patterns, host)
			}
			continue
		}
		if u, err := url.Parse(j.Remote.URL); err == nil && strings.EqualFold(u.Host, host) {
			owner, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
			patterns = append(patterns, host+"/"+owner)
		}
	}
	return patterns
}

// certificateFiles are the variables that name, for one tool or another, the file with all authorities that
// it trusts. Only Node's adds to those of the machine.
var certificateFiles = []string{
	"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO", "npm_config_cafile", "YARN_HTTPS_CA_FILE_PATH",
	"BUNDLE_SSL_CA_CERT",
}

// machineCertificates are the usual files of a machine's authorities.
var machineCertificates = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// nodeTrust returns the variable with which Node trusts the authorities of this machine, as other tools do.
// Its own builds trust a list of their own, which lacks a company's authority
// (https://nodejs.org/api/cli.html#node_extra_ca_certsfile).
func nodeTrust() []string {
	for _, file := range machineCertificates {
		if _, err := os.Stat(file); err == nil {
			return []string{"NODE_EXTRA_CA_CERTS=" + file}
		}
	}
	return nil
}

// insideTrust is the folder inside the sandbox with the authorities that the tools trust.
const insideTrust = "/trust"

// writeTrust writes the file of all authorities that the tools trust: those of this machine, those that
// setup.env names, and that of the proxy. It does nothing if the proxy has no authority.
func (f *fetchRun) writeTrust(authority []byte) error {
	if authority == nil {
		return nil
	}
	var all []byte
	for _, file := range append([]string{os.Getenv("SSL_CERT_FILE")}, machineCertificates...) {
		if text, err := os.ReadFile(file); err == nil {
			all = text
			break
		}
	}
	for _, kv := range f.job.Config.Env {
		name, file, _ := strings.Cut(kv, "=")
		if slices.Contains(certificateFiles, name) {
			text, err := os.ReadFile(file)
			if err != nil {
				return &Missing{
					Why:  fmt.Sprintf("`setup.env` names %s for %s, which cannot be read", file, name),
					Cure: "correct the path, or leave it out",
				}
			}
			all = append(append(all, '\n'), text...)
		}
	}
	if err := os.MkdirAll(f.pathOf("trust"), 0o755); err != nil {
		return err
	}
	all = append(append(all, '\n'), authority...)
	return os.WriteFile(f.pathOf("trust", "certificates.pem"), all, 0o644)
}

// trustVariables returns the variables that name the file of writeTrust.
func trustVariables() (env []string) {
	for _, name := range certificateFiles {
		env = append(env, name+"="+path.Join(insideTrust, "certificates.pem"))
	}
	return env
}

// placeholder matches a variable in a line of npm's or yarn's settings that names a login.
var placeholder = regexp.MustCompile(
	`(?m)^.*(?:_auth|_password|npmAuth|username).*\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// placeholders returns variables for the logins that the repository's own settings of npm and yarn read from
// the environment. Some tools fail without them. The proxy replaces what they send.
func (p plan) placeholders() (env []string, err error) {
	for _, file := range p.copy {
		if !slices.Contains(npmSettings, path.Base(file)) {
			continue
		}
		text, err := p.readFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range placeholder.FindAllStringSubmatch(string(text), -1) {
			if !IsReservedEnv(m[1]) {
				env = append(env, m[1]+"=added-by-bobbin")
			}
		}
	}
	return env, nil
}

// cratePlaceholders returns variables for the tokens of cargo's registries, without which cargo asks none
// that wants a login. The proxy replaces what cargo sends.
func (p plan) cratePlaceholders() (env []string, err error) {
	for _, file := range p.copy {
		if !manager.IsCargoConfig(file) {
			continue
		}
		text, err := p.readFile(file)
		if err != nil {
			return nil, err
		}
		for _, name := range manager.CargoTokens(text) {
			env = append(env, name+"=added-by-bobbin")
		}
	}
	return env, nil
}

// explainDenials sets what people are told if hosts with a login refused packages. It returns false if no
// host did so. Answers 404 count only if there are no others, and no host was refused, since tools ask for
// what need not be there.
func (e *Missing) explainDenials(step string, denied []proxy.Denial) bool {
	sure := slices.DeleteFunc(slices.Clone(denied), func(d proxy.Denial) bool { return d.Status == 404 })
	if len(sure) == 0 && len(e.Refused) == 0 {
		sure = denied
	}
	if len(sure) == 0 {
		return false
	}
	first := sure[0]
	var names []string
	for _, d := range sure {
		name := packageOf(d.Path)
		if d.Host == first.Host && d.Why == first.Why && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	shown := plaintext.FirstOf(names, 3)
	before, after, _ := strings.Cut(first.Why, ":")
	e.Why = fmt.Sprintf("`%s` failed: %s %s for %s:%s", step, first.Host, before, shown, after)
	if after == "" {
		e.Why = fmt.Sprintf("`%s` failed for %s: %s %s", step, shown, first.Host, before)
	}
	e.Cure = first.Cure
	e.Denied = denied
	return true
}

// The forms of the paths at which registries serve packages; the first group is the package's name.
var packagePaths = []*regexp.Regexp{
	regexp.MustCompile(`([^/]+?(?:/[^/]+?)*?)(?:\.git)?/(?:info/refs|git-upload-pack)$`), // git
	regexp.MustCompile(`((?:[a-z0-9-]+\.)+[a-z]+(?:/[^/@]+)*)/@(?:v/.*|latest)$`),        // Go
	regexp.MustCompile(`(@[^/]+(?:/|%2[fF])[^/]+)`),
	regexp.MustCompile(`([^/]+)/-/[^/]+\.tgz$`),                                                    // npm
	regexp.MustCompile(`/(?:gems|quick/Marshal\.4\.8|info)/([^/]+?)(?:-[0-9][^/-]*(?:\.gem.*))?$`), // gem
	regexp.MustCompile(`([^/]+)/?$`),
}

// packageOf returns the name of the package that is served at a path of a registry, as well as it can be
// told.
func packageOf(at string) string {
	for _, form := range packagePaths {
		if m := form.FindStringSubmatch(at); m != nil {
			name, err := url.PathUnescape(m[1])
			if err != nil {
				name = m[1]
			}
			return plaintext.CutLine(strings.ReplaceAll(name, "`", "'"), 100)
		}
	}
	return at
}

// loginVariables returns the variables that the steps need because of logins.
func (f *fetchRun) loginVariables(own []string, overTLS bool) (env []string, err error) {
	if len(f.job.logins()) == 0 {
		return nil, nil
	}
	if env, err = f.plan.placeholders(); err != nil {
		return nil, err
	}
	crates, err := f.plan.cratePlaceholders()
	if err != nil {
		return nil, err
	}
	env = append(env, crates...)
	if overTLS {
		env = append(env, trustVariables()...)
	}
	return append(env, f.job.privateVariables(own)...), nil
}

// privateVariables returns the variables that name Go's private modules. own holds the operator's registries.
func (j Job) privateVariables(own []string) (env []string) {
	private := strings.Join(j.privateModules(), ",")
	if private == "" {
		return nil
	}
	all := append([]string{"GOPRIVATE="}, slices.Concat(own, j.Config.Env)...)
	for _, kv := range all { // a variable that is set replaces the value of GOPRIVATE
		name, value, _ := strings.Cut(kv, "=")
		if slices.Contains([]string{"GOPRIVATE", "GONOPROXY", "GONOSUMDB"}, name) {
			env = append(env, name+"="+strings.Trim(private+","+value, ","))
		}
	}
	return env
}

var (
	outsideURL   = regexp.MustCompile(`https://([a-z0-9.-]+(?::[0-9]+)?)`)
	unauthorized = regexp.MustCompile(`\b(E?40[13]|Unauthorized|Forbidden)\b|could not read Username|` +
		`[Aa]uthentication (is )?(required|failed)`)
)

// wantsLogin returns the host without a login that refused a request for the want of one, as far as the
// output of a command shows it, or an empty string.
func (f *fetchRun) wantsLogin(output string) string {
	if !unauthorized.MatchString(output) {
		return ""
	}
	for _, m := range outsideURL.FindAllStringSubmatch(output, -1) {
		if f.visited(m[1]) && !slices.ContainsFunc(f.job.logins(),
			func(l proxy.Login) bool { return strings.TrimSuffix(l.Target(), ":443") == m[1] }) {
			return m[1]
		}
	}
	return ""
}

// visited reports whether the proxy has let a request to the host through.
func (f *fetchRun) visited(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return slices.ContainsFunc(f.report.Visits, func(v proxy.Visit) bool { return v.Host == name })
}
