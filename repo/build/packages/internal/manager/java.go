package manager

import (
	_ "embed"
	"path"
	"regexp"
)

//go:embed maven.sh
var mavenFetch string

// javaProxy gives Java the proxy of the other tools, since it does not read their variables. See
// https://docs.oracle.com/javase/8/docs/technotes/guides/net/proxies.html.
const javaProxy = `proxy=${HTTPS_PROXY#http://} proxy=${proxy%/}
export JAVA_TOOL_OPTIONS="-Dhttp.proxyHost=${proxy%:*} -Dhttp.proxyPort=${proxy##*:} ` +
	`-Dhttps.proxyHost=${proxy%:*} -Dhttps.proxyPort=${proxy##*:} $JAVA_TOOL_OPTIONS"
`

var mavenHosts = []string{"repo.maven.apache.org", "repo1.maven.org"}

// maven has no lock file; its manifests name exact versions. What the registry does not give is taken from
// the repository of Debian's packages, if there is one.
var maven = Manager{
	Name: "maven", Kind: "java",
	Manifests:  regexp.MustCompile(`^pom\.xml$`),
	Read:       func(_, _ string) (bool, bool) { return true, true },
	ExtraFiles: regexp.MustCompile(`^pom\.xml$`),
	Needs:      func(file string) bool { return path.Dir(file) == ".mvn" },
	Fetch:      func([]string, bool) string { return javaProxy + mavenFetch },
	Version:    "mvn --version",
	Hosts:      mavenHosts,
}

// gradle is only recognised by its build files. They are not parsed, because they are programs that decide
// what to fetch.
var gradle = Manager{
	Name: "gradle", Kind: "java",
	Manifests: regexp.MustCompile(`^build\.gradle(\.kts)?$`),
	Read:      func(_, _ string) (bool, bool) { return true, true },
	ExtraFiles: regexp.MustCompile(
		`^((build|settings)\.gradle(\.kts)?|gradle\.properties|libs\.versions\.toml|gradle\.lockfile)$`),
	Fetch: func([]string, bool) string {
		return javaProxy + `GRADLE_USER_HOME="$PACKAGES/gradle" ` +
			`gradle --no-daemon -q -I "$TMPDIR/fetch.gradle" bobbinFetch`
	},
	Helpers: map[string]string{"fetch.gradle": "allprojects { tasks.register('bobbinFetch') " +
		"{ doLast { configurations.findAll { it.canBeResolved }.each { it.files } } } }\n"},
	Version: "gradle --version",
	Hosts:   append([]string{"plugins.gradle.org"}, mavenHosts...),
}
