package environment

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The kinds of services that can be started.
const (
	Postgres = "postgres"
	Redis    = "redis"
	MySQL    = "mysql"
)

// Kinds are the kinds of services that can be started.
func Kinds() []string { return []string{Postgres, Redis, MySQL} }

// usualPort is the port at which a service of a kind listens unless a file says otherwise.
var usualPort = map[string]int{Postgres: 5432, Redis: 6379, MySQL: 3306}

// loopback is the address of services.
const loopback = "127.0.0.1"

// A Service is a server that the tests of a repository talk to.
type Service struct {
	Kind    string // Postgres, Redis or MySQL
	Version string // the wanted one, such as 16 or 7.2; empty: any
	From    string // the file that names it, such as .github/workflows/test.yml; or bobbin.yaml
	Port    int    // where it listens

	// The user, the password and the first database by the file; empty for Redis.
	User, Password, Database string

	hosts        []string // names by which the file calls it
	rootPassword string   // of MySQL
}

// A Config is what the configuration says of a repository's environment. The zero value finds the services in
// the repository's files.
type Config struct {
	// Off starts no services.
	Off bool
	// Services are the kinds to start, with the wanted version or an empty string. Nil: those that the files
	// name.
	Services map[string]string
	// Env are variables (NAME=value) of every command of the repository. They win over all others.
	Env []string
	// Image is the image that commands run in, where they run in images. Empty: the one that a
	// devcontainer.json names, if the engine has it, or else the sandbox's.
	Image string
	// Folder is the part of the repository that the work is limited to; its version files come first. Empty:
	// all of it.
	Folder string
}

// An Environment is what the commands of a repository find beside its files. Nil is one with nothing.
type Environment struct {
	Services []Service
	Env      []string // NAME=value; the last one of a name counts
	// Tools are those of which the files want a version. Tools.Look fills in what is installed.
	Tools []Tool
	// Packages are those of Debian that CI and a development container install, and Absent those of them that
	// Tools.Look did not find.
	Packages, Absent []SystemPackage
	// Image is the image that the files name for development, from the file ImageFrom; empty: none.
	Image, ImageFrom string
	// Notes are lines about what the files name and is not used, such as a folder of the host.
	Notes []string

	used      []usedProgram
	parsed    map[string]map[string]any // YAML files, by name
	compose   []string                  // compose files that a devcontainer.json names
	users     map[string][]string       // by kind, beside those of Services
	databases map[string][]string
}

// Find returns the environment by the files of a commit and the configuration. A file that cannot be read
// becomes a line of Notes.
func Find(files Files, how Config) *Environment {
	e := &Environment{
		users:     map[string][]string{},
		databases: map[string][]string{},
		parsed:    map[string]map[string]any{},
	}
	said := e.findTools(files, how.Folder)
	var named []source
	if !how.Off {
		named = e.readFiles(files, how.Services != nil)
		e.addServices(named, how.Services)
	}
	for _, n := range named {
		e.setVariables(n.variables, false)
	}
	e.setVariables(said.ofCI, true)
	e.setVariables(dotenvValues(files), true)
	e.setVariables(said.ofContainer, true)
	e.addDefaults()
	for _, kv := range how.Env {
		name, value, _ := strings.Cut(kv, "=")
		e.replaceAddress(name, value) // makes the users and databases that it names
		e.wantNamed(name, value)
		e.Env = append(e.Env, kv)
	}
	e.Notes = limitNotes(e.Notes)
	e.parsed = nil
	return e
}

// addServices adds the services that the files name, or those that are configured if that is not nil.
func (e *Environment) addServices(named []source, configured map[string]string) {
	var declared []declaration
	for _, n := range named {
		declared = append(declared, n.services...)
	}
	for _, kind := range Kinds() {
		s, ok := e.serviceOf(kind, declared)
		if configured != nil {
			if s.Version, ok = configured[kind]; ok {
				s.From = "bobbin.yaml"
			}
		}
		if ok {
			e.Services = append(e.Services, s)
		}
	}
}

// serviceOf joins the declarations of one kind: the first one counts, and its server serves all. ok is false
// if there are none.
func (e *Environment) serviceOf(kind string, all []declaration) (s Service, ok bool) {
	s = Service{Kind: kind, Port: usualPort[kind]}
	for _, d := range all {
		if d.kind != kind {
			continue
		}
		user, password, database := d.account()
		if !ok {
			s.Version = d.version
			s.From = d.from
			s.Port = cmp.Or(d.port, s.Port)
			s.User = e.named(d.from, user)
			s.Password = password
			s.Database = e.named(d.from, database)
			s.rootPassword = d.value("MYSQL_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD")
		} else {
			e.want(kind, user, database)
		}
		s.hosts = append(s.hosts, d.hosts...)
		ok = true
	}
	for _, password := range []*string{&s.Password, &s.rootPassword} {
		if !safePassword.MatchString(*password) {
			e.note("%s: a password of %s is not used: letters, digits and .!@#%%^&*+=:,_~- are allowed",
				s.From, kind)
			*password = ""
		}
	}
	switch kind {
	case Postgres:
		s.User = cmp.Or(s.User, "postgres")
		s.Password = cmp.Or(s.Password, "postgres")
		s.Database = cmp.Or(s.Database, s.User)
	case MySQL:
		s.User = cmp.Or(s.User, "root")
		s.Database = cmp.Or(s.Database, "test")
	}
	return s, ok
}

var (
	// safeName matches the names of users and databases that are made.
	safeName     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)
	safePassword = regexp.MustCompile(`^[A-Za-z0-9.!@#%^&*+=:,_~-]{0,100}$`)
)

// named returns the name of a user or a database if one can be made of that name, or else an empty string,
// and notes it.
func (e *Environment) named(from, name string) string {
	if name != "" && !safeName.MatchString(name) {
		e.note("%s: the name %q of a user or database is not used: letters, digits, _, . and - are allowed",
			from, cut(name))
		return ""
	}
	return name
}

// want has a user and a database made. Names that cannot be made are left out.
func (e *Environment) want(kind, user, database string) {
	if safeName.MatchString(user) && len(e.users[kind]) < maxNames && !slices.Contains(e.users[kind], user) {
		e.users[kind] = append(e.users[kind], user)
	}
	if safeName.MatchString(database) && len(e.databases[kind]) < maxNames &&
		!slices.Contains(e.databases[kind], database) {
		e.databases[kind] = append(e.databases[kind], database)
	}
}

// maxNames is how many users, and how many databases, of one service are made beside the first.
const maxNames = 8

// service returns the service of a kind, or nil.
func (e *Environment) service(kind string) *Service {
	at := slices.IndexFunc(e.Services, func(s Service) bool { return s.Kind == kind })
	if at < 0 {
		return nil
	}
	return &e.Services[at]
}

// hasHost reports whether a file calls the service by that name, or by one of this machine.
func (s *Service) hasHost(name string) bool {
	return slices.Contains([]string{"localhost", loopback, "0.0.0.0"}, name) || slices.Contains(s.hosts, name)
}

// set adds a variable, unless it has a value already.
func (e *Environment) set(name, value string) {
	if !e.has(name) {
		e.Env = append(e.Env, name+"="+value)
	}
}

func (e *Environment) has(name string) bool {
	return slices.ContainsFunc(e.Env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

// addDefaults adds the variables that the usual clients read, where the files set none.
func (e *Environment) addDefaults() {
	for _, s := range e.Services {
		port := strconv.Itoa(s.Port)
		account := s.User
		if s.Password != "" {
			account += ":" + s.Password
		}
		values := map[string]string{}
		switch s.Kind {
		case Postgres:
			address := fmt.Sprintf("postgres://%s@%s:%s/%s", account, loopback, port, s.Database)
			values = map[string]string{
				"PGHOST": loopback, "PGPORT": port, "PGUSER": s.User, "PGPASSWORD": s.Password,
				"PGDATABASE": s.Database, "PGSSLMODE": "disable", "DATABASE_URL": address,
				"POSTGRES_HOST": loopback, "POSTGRES_PORT": port, "POSTGRES_USER": s.User,
				"POSTGRES_PASSWORD": s.Password, "POSTGRES_DB": s.Database,
			}
		case MySQL:
			values = map[string]string{
				"MYSQL_HOST": loopback, "MYSQL_TCP_PORT": port, "MYSQL_PORT": port, "MYSQL_USER": s.User,
				"MYSQL_PASSWORD": s.Password, "MYSQL_DATABASE": s.Database,
				"DATABASE_URL": fmt.Sprintf("mysql://%s@%s:%s/%s", account, loopback, port, s.Database),
			}
		case Redis:
			values = map[string]string{
				"REDIS_HOST": loopback, "REDIS_PORT": port, "REDIS_URL": "redis://" + loopback + ":" + port,
			}
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			e.set(name, values[name])
		}
	}
}

// Key identifies the environment: the result of a test with another one may differ. It is empty if there is
// nothing in it.
func (e *Environment) Key() string {
	if e == nil || len(e.Services)+len(e.Env)+len(e.used) == 0 {
		return ""
	}
	parts := []any{e.Services, e.Env, e.users, e.databases}
	for _, u := range e.used {
		parts = append(parts, u.path, u.version)
	}
	sum := sha256.Sum256(fmt.Append(nil, parts...))
	return hex.EncodeToString(sum[:8])
}

// note adds a line to Notes.
func (e *Environment) note(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(e.Notes, line) {
		e.Notes = append(e.Notes, line)
	}
}

// maxNotes is the most lines of Notes.
const maxNotes = 8

func limitNotes(notes []string) []string {
	if more := len(notes) - maxNotes; more > 0 {
		return append(notes[:maxNotes], fmt.Sprintf("and %d more lines of this kind", more))
	}
	return notes
}

// cut shortens a name of a file's content to what a line can hold.
func cut(name string) string {
	if len(name) > 60 {
		return name[:60] + "…"
	}
	return name
}
