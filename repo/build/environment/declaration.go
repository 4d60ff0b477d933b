package environment

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// A source is what one file says of services.
type source struct {
	services  []declaration
	variables []variable
}

// A variable is one of a file, before addresses are replaced.
type variable struct{ name, value string }

// A declaration is one service that a file names.
type declaration struct {
	from    string
	kind    string
	version string
	port    int      // on the machine of the tests; 0: the usual one
	hosts   []string // names by which the file calls it
	env     map[string]string
}

// value returns the value of the first of the variables that has one here.
func (d declaration) value(names ...string) string {
	for _, name := range names {
		if v := d.env[name]; v != "" && !strings.Contains(v, "$") {
			return v
		}
	}
	return ""
}

// account returns the user, the password and the database that the image of the service makes.
func (d declaration) account() (user, password, database string) {
	switch d.kind {
	case Postgres:
		return d.value("POSTGRES_USER", "POSTGRESQL_USERNAME"),
			d.value("POSTGRES_PASSWORD", "POSTGRESQL_PASSWORD"),
			d.value("POSTGRES_DB", "POSTGRESQL_DATABASE")
	case MySQL:
		database = d.value("MYSQL_DATABASE", "MARIADB_DATABASE")
		if user = d.value("MYSQL_USER", "MARIADB_USER"); user != "" {
			return user, d.value("MYSQL_PASSWORD", "MARIADB_PASSWORD"), database
		}
		return "root", d.value("MYSQL_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD"), database
	}
	return "", "", ""
}

// imageKinds are the last parts of images' names, such as postgres of docker.io/library/postgres:16.
var imageKinds = map[string]string{
	"postgres": Postgres, "postgresql": Postgres, "postgis": Postgres, "pgvector": Postgres,
	"timescaledb": Postgres, "timescaledb-ha": Postgres, "cloudsql-postgres": Postgres,
	"redis": Redis, "redis-stack": Redis, "redis-stack-server": Redis, "valkey": Redis, "keydb": Redis,
	"mysql": MySQL, "mariadb": MySQL, "percona": MySQL, "mysql-server": MySQL,
}

var leadingVersion = regexp.MustCompile(`^(?:v|pg)?(\d+(?:\.\d+){0,2})`)

// readImage returns the kind and the version of an image, such as bitnami/postgresql:16.2-debian. kind is
// empty for one that is not known. name is the last part of the image's name.
func readImage(image string) (kind, version, name string) {
	image, _, _ = strings.Cut(image, "@")
	name = image[strings.LastIndex(image, "/")+1:]
	name, tag, _ := strings.Cut(name, ":")
	kind = imageKinds[strings.ToLower(name)]
	if m := leadingVersion.FindStringSubmatch(tag); m != nil {
		version = m[1]
	}
	if strings.HasPrefix(strings.ToLower(name), "timescale") {
		version = "" // the extension's version, not that of Postgres
		if m := regexp.MustCompile(`pg(\d+)`).FindStringSubmatch(tag); m != nil {
			version = m[1]
		}
	}
	if name == "percona" || kind == MySQL && strings.EqualFold(name, "mariadb") {
		version = "" // it counts in another way than MySQL
	}
	return kind, version, name
}

// defaultOf matches a variable of a compose file with its default: ${TAG:-16}.
var defaultOf = regexp.MustCompile(`\$\{(\w+)(?::?-([^{}]*))?\}|\$(\w+)`)

// expand replaces the variables of a text by their values in known or by their defaults. ok is false if one
// has neither.
func expand(text string, known map[string]string) (expanded string, ok bool) {
	ok = true
	expanded = defaultOf.ReplaceAllStringFunc(strings.ReplaceAll(text, "$$", "\x00"), func(s string) string {
		m := defaultOf.FindStringSubmatch(s)
		value, isKnown := known[cmp.Or(m[1], m[3])]
		if !isKnown && !strings.Contains(s, "-") {
			ok = false
		}
		return cmp.Or(value, m[2])
	})
	return strings.ReplaceAll(expanded, "\x00", "$"), ok
}

// publishedPort returns the port of this machine of a published port of a container, such as
// 127.0.0.1:5433:5432. It returns 0 if none is named, or if the mapping is of another port of the container.
func publishedPort(mapping any, inside int) int {
	if m, ok := mapping.(map[string]any); ok {
		if number(m["target"]) != inside {
			return 0
		}
		return number(m["published"])
	}
	parts := strings.Split(strings.TrimSuffix(text(mapping), "/tcp"), ":")
	if len(parts) < 2 || parts[len(parts)-1] != strconv.Itoa(inside) {
		return 0
	}
	return number(parts[len(parts)-2])
}

// number returns a port, or 0 if the value is none that a server may use.
func number(value any) int {
	n, err := strconv.Atoi(text(value))
	if err != nil || n < 1024 || n > 65535 {
		return 0
	}
	return n
}
