package environment

import (
	"regexp"
	"strconv"
	"strings"
)

// portText returns the port of a declaration as text.
func (d declaration) portText() string {
	if d.port != 0 {
		return strconv.Itoa(d.port)
	}
	return strconv.Itoa(usualPort[d.kind])
}

// addressName matches the names of variables that lead to a service, or hold the account for it.
var addressName = regexp.MustCompile(`(?i)^PG[A-Z]+$|POSTGRES|MYSQL|MARIADB|REDIS|DATABASE|(^|_)DB(_|$)`)

// variableName matches the names of variables that are taken from a file.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,100}$`)

// setVariables adds variables of a file: every one, or only those that lead to a service, by their value or
// their name. Addresses become those of the services. Of several values of a name the first one counts.
func (e *Environment) setVariables(list []variable, every bool) {
	for _, v := range list {
		plain := v.value != "" && len(v.value) <= maxValue && !strings.ContainsAny(v.value, "\x00\r\n")
		if !plain || !variableName.MatchString(v.name) || IsReserved(v.name) || e.has(v.name) {
			continue
		}
		value, address := e.replaceAddress(v.name, v.value)
		if !every && !address && !addressName.MatchString(v.name) {
			continue
		}
		e.set(v.name, value)
		e.wantNamed(v.name, value)
	}
}

// maxValue is the longest value of a variable of a file, in bytes.
const maxValue = 4 << 10

var (
	urlAddress = regexp.MustCompile(
		`(?i)\b([a-z][a-z0-9+]*)://(?:([^/@\s:]*)(:[^/@\s]*)?@)?([a-z0-9_.-]+)(:\d+)?(/[^\s?"'#]*)?`)
	tcpAddress  = regexp.MustCompile(`([^\s:@/]*)(:[^\s@]*)?@tcp\(([\w.-]+)(:\d+)?\)/([\w.-]*)`) // Go's MySQL
	keywordHost = regexp.MustCompile(`\bhost=([\w.-]+)`)
	hostName    = regexp.MustCompile(`(?i)(host|hostname|server|addr|address)$`)
	portName    = regexp.MustCompile(`(?i)port$`)
	userName    = regexp.MustCompile(`(?i)^(PGUSER|(POSTGRES|MYSQL|MARIADB|DB|DATABASE)_USER(NAME)?)$`)
	baseName    = regexp.MustCompile(
		`(?i)^(PGDATABASE|(POSTGRES|MYSQL|MARIADB|DB|DATABASE)_(DB|NAME|DATABASE))$`)
)

// schemes are the kinds of services by the scheme of an address, without what follows a plus sign.
var schemes = map[string]string{
	"postgres": Postgres, "postgresql": Postgres, "postgis": Postgres, "psql": Postgres, "pgx": Postgres,
	"pgx5": Postgres, "mysql": MySQL, "mysql2": MySQL, "mariadb": MySQL, "trilogy": MySQL,
	"redis": Redis, "rediss": Redis,
}

// replaceAddress returns the value with the addresses of services in place of those that the file names, and
// has the users and databases of these addresses made. address reports whether there was one.
func (e *Environment) replaceAddress(name, value string) (replaced string, address bool) {
	replaced = urlAddress.ReplaceAllStringFunc(value, func(all string) string {
		m := urlAddress.FindStringSubmatch(all)
		scheme, _, _ := strings.Cut(strings.ToLower(m[1]), "+")
		s := e.service(schemes[scheme])
		if s == nil || !s.hasHost(m[4]) {
			return all
		}
		address = true
		account := ""
		if m[2]+m[3] != "" {
			account = m[2] + m[3] + "@"
		}
		if s.Kind != Redis {
			e.want(s.Kind, m[2], strings.Trim(m[6], "/"))
		}
		return m[1] + "://" + account + s.address() + m[6]
	})
	if s := e.service(MySQL); s != nil {
		replaced = tcpAddress.ReplaceAllStringFunc(replaced, func(all string) string {
			m := tcpAddress.FindStringSubmatch(all)
			if !s.hasHost(m[3]) {
				return all
			}
			address = true
			e.want(MySQL, m[1], m[5])
			return m[1] + m[2] + "@tcp(" + s.address() + ")/" + m[5]
		})
	}
	if s := e.service(Postgres); s != nil {
		replaced = keywordHost.ReplaceAllStringFunc(replaced, func(all string) string {
			if !s.hasHost(strings.TrimPrefix(all, "host=")) {
				return all
			}
			address = true
			return "host=" + loopback
		})
	}
	if replaced == value {
		if plain, ok := e.replacePlain(name, value); ok {
			return plain, true
		}
	}
	return replaced, address
}

// replacePlain replaces a value that is the name of a service's host, with or without its port, and the usual
// port of a service that listens at another one.
func (e *Environment) replacePlain(name, value string) (replaced string, ok bool) {
	for _, s := range e.Services {
		host, port, _ := strings.Cut(value, ":")
		usual := strconv.Itoa(usualPort[s.Kind])
		switch {
		case port != "" && number(port) != 0 && s.names(host):
			return s.address(), true
		case hostName.MatchString(name) && port == "" && s.names(host):
			return loopback, true
		case portName.MatchString(name) && value == usual:
			return strconv.Itoa(s.Port), true
		}
	}
	return value, false
}

// names reports whether the host is one that only the file uses.
func (s Service) names(host string) bool {
	for _, h := range s.hosts {
		if h == host {
			return true
		}
	}
	return false
}

func (s Service) address() string { return loopback + ":" + strconv.Itoa(s.Port) }

// wantNamed has the user or the database made that a variable names.
func (e *Environment) wantNamed(name, value string) {
	kind := Postgres
	if upper := strings.ToUpper(name); strings.HasPrefix(upper, "M") || e.service(Postgres) == nil {
		kind = MySQL
	}
	switch {
	case e.service(kind) == nil:
	case userName.MatchString(name):
		e.want(kind, value, "")
	case baseName.MatchString(name):
		e.want(kind, "", value)
	}
}

// reservedName matches variables that decide how programs run, rather than what a repository's code reads.
var reservedName = regexp.MustCompile(`^(PATH|HOME|USER|LOGNAME|SHELL|IFS|ENV|BASH_ENV|PWD|TMPDIR|LANG|CI|` +
	`TERM|LD_.*|DYLD_.*|GCONV_PATH|GLIBC_TUNABLES|OPENSSL_.*|GO[A-Z0-9]*|CGO_.*|NODE_OPTIONS|NODE_PATH|` +
	`PYTHONHOME|PYTHONSTARTUP|` +
	`PYTHONDONTWRITEBYTECODE|PIP_.*|PERL5.*|RUBYOPT|RUBYLIB|BUNDLE_.*|GEM_.*|GIT_.*|JAVA_TOOL_OPTIONS|` +
	`MAVEN_OPTS|CARGO_.*|RUSTFLAGS|RUSTC.*|BOBBIN_.*|REPORT_DIR|PYTEST_ADDOPTS|JEST_JUNIT_.*|MOCHA_FILE)$|` +
	`(?i:^npm_config_|^(https?|all|no)_proxy$)`)

// IsReserved reports whether a variable is not the repository's to set: it decides which programs run and
// how, or Bobbin sets it.
func IsReserved(name string) bool { return reservedName.MatchString(name) }
